import type { Sql } from '#db';

/** A job that succeeded, and the attempt whose files it is served and downloaded from. */
export type ServedJob = { jobId: string; attempt: number };

/** Jobs that succeeded, in the order of their ids. */
export function listServedJobs(sql: Sql, { after, limit }: { after: string; limit: number }): Promise<ServedJob[]> {
  return sql.query<ServedJob>(
    `select id as "jobId", attempt from training_jobs where id > $1 and state = 'succeeded' order by id limit $2`,
    [after, limit],
  );
}
