import type { Sql } from '#db';

/** Names of what was measured of the weights that are kept. They stand with the result and are no curves. */
export const resultPrefix = 'result.';

export type Point = { name: string; step: number; value: number };

/** What was measured in an attempt, evenly thinned to so many points of each name; the last one is always there. */
export function listMetrics(
  sql: Sql,
  { jobId, attempt, maxPoints }: { jobId: string; attempt: number; maxPoints: number },
): Promise<Point[]> {
  return sql.query<Point>(
    `select name, step, value from (
       select name, step, value, row_number() over (partition by name order by step desc) - 1 as back,
              greatest(1, ceil(count(*) over (partition by name) / $3::float8))::integer as every
         from training_metrics
        where job_id = $1 and attempt = $2 and not starts_with(name, '${resultPrefix}')) numbered
      where back % every = 0 order by name, step`,
    [jobId, attempt, maxPoints],
  );
}
