import type { Sql } from '#db';
import type { AttemptName } from '../jobs/job.ts';

/** TrainerMetrics of the weights that are kept. They are part of the result and no series. */
export const resultPrefix = 'result.';

export type MetricPoint = { name: string; step: number; value: number };

/** The metrics of an attempt, evenly thinned to so many points of each name; the last one is always there. */
export function listMetrics(
  sql: Sql,
  { jobId, attempt, maxPoints }: { jobId: string; attempt: number; maxPoints: number },
): Promise<MetricPoint[]> {
  return sql.query<MetricPoint>(
    `select name, step, value from (
       select name, step, value, row_number() over (partition by name order by step desc) - 1 as back,
              greatest(1, ceil(count(*) over (partition by name) / $3::float8))::integer as every
         from training_metrics
        where job_id = $1 and attempt = $2 and not starts_with(name, '${resultPrefix}')) numbered
      where back % every = 0 order by name, step`,
    [jobId, attempt, maxPoints],
  );
}

/** A step that is done again replaces its values. */
export async function writeMetrics(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  points: readonly MetricPoint[],
): Promise<void> {
  const latest = new Map(points.map((each) => [`${each.name} ${each.step}`, each]));
  const rows = [...latest.values()];
  if (rows.length === 0) return;
  await tx.query(
    `insert into training_metrics (job_id, attempt, name, step, value)
     select $1, $2, name, step, value from unnest($3::text[], $4::integer[], $5::float8[]) as row (name, step, value)
     on conflict (job_id, attempt, name, step) do update set value = excluded.value`,
    [jobId, attempt, rows.map(({ name }) => name), rows.map(({ step }) => step), rows.map(({ value }) => value)],
  );
}

export async function readLastMetrics(
  sql: Sql,
  { jobId, attempt }: AttemptName,
  prefix: string,
): Promise<Record<string, number>> {
  const rows = await sql.query<{ name: string; value: number }>(
    `select distinct on (name) name, value from training_metrics
      where job_id = $1 and attempt = $2 and starts_with(name, $3) order by name, step desc`,
    [jobId, attempt, prefix],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name.slice(prefix.length), value]));
}
