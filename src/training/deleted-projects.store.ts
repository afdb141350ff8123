import type { Sql } from '#db';
import type { AttemptName } from './jobs/job.ts';

/**
 * Jobs of a project after `afterId`. Processes of an attempt that ended without success end within minutes, and may write until
 * then.
 */
export async function listSettledJobs(sql: Sql, projectId: string, afterId: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from training_jobs
      where project_id = $1 and id > $2
        and (state = 'succeeded' or finished_at < now() - interval '10 minutes' or started_at is null and finished_at is not null)
      order by id limit $3`,
    [projectId, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

export function listAttemptsOf(sql: Sql, jobId: string): Promise<AttemptName[]> {
  return sql.query<AttemptName>(
    'select job_id as "jobId", number as attempt from training_attempts where job_id = $1 order by number',
    [jobId],
  );
}

export type NotedCheckpoint = AttemptName & { name: string; files: string[] };

/** Checkpoints of a job of which objects may exist. */
export function listNotedCheckpoints(sql: Sql, jobId: string, limit: number): Promise<NotedCheckpoint[]> {
  return sql.query<NotedCheckpoint>(
    `select job_id as "jobId", attempt, name, noted_files as files from training_checkpoints
      where job_id = $1 and noted_files is not null limit $2`,
    [jobId, limit],
  );
}

export async function deleteCheckpoint(sql: Sql, { jobId, attempt, name }: AttemptName & { name: string }) {
  await sql.query('delete from training_checkpoints where job_id = $1 and attempt = $2 and name = $3', [
    jobId,
    attempt,
    name,
  ]);
}

export async function deleteLogsOf(sql: Sql, jobId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from training_logs where (job_id, seq) in (
       select job_id, seq from training_logs where job_id = $1 limit $2) returning 1`,
    [jobId, limit],
  );
  return rows.length;
}

export async function deleteMetricsOf(sql: Sql, jobId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from training_metrics where (job_id, attempt, name, step) in (
       select job_id, attempt, name, step from training_metrics where job_id = $1 limit $2) returning 1`,
    [jobId, limit],
  );
  return rows.length;
}

/** With what is left of its attempts: records of which nothing is in the object store. */
export async function deleteJob(tx: Sql, jobId: string): Promise<void> {
  await tx.query('delete from training_checkpoints where job_id = $1', [jobId]);
  await tx.query('delete from training_attempts where job_id = $1', [jobId]);
  await tx.query('delete from training_jobs where id = $1', [jobId]);
}
