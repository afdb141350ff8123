import type { Sql } from '#db';

/** Of these jobs, the attempts that have been over for a while. */
export function listOverAttempts(sql: Sql, jobIds: readonly string[]): Promise<{ jobId: string; attempt: number }[]> {
  return sql.query(
    `select job_id as "jobId", number as attempt from training_attempts
      where job_id = any($1::text[]) and finished_at < now() - interval '10 minutes'`,
    [jobIds],
  );
}

export type OldCheckpoint = { jobId: string; attempt: number; name: string; files: string[] };

/** Checkpoints that nobody can go on from, or has gone on from for so long. */
export function listOldCheckpoints(
  sql: Sql,
  { keptDays, limit }: { keptDays: number; limit: number },
): Promise<OldCheckpoint[]> {
  return sql.query<OldCheckpoint>(
    `select c.job_id as "jobId", c.attempt, c.name, c.files
       from training_checkpoints c join training_jobs j on j.id = c.job_id
      where c.files is not null and c.removed_at is null and j.finished_at is not null
        and (j.state = 'succeeded' or not j.keeps_checkpoints or j.finished_at < now() - $1 * interval '1 day')
      order by c.job_id, c.attempt, c.name limit $2`,
    [keptDays, limit],
  );
}
