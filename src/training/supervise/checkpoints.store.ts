import type { Sql } from '#db';
import type { AttemptName } from '../jobs/job.ts';

type CheckpointRow = { name: string; step: number; activeMs: number; sizeBytes: number };

/** False: it is there already. */
export async function insertCheckpoint(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  { name, step, activeMs, sizeBytes }: CheckpointRow,
  losses: { loss: number | null; evalLoss: number | null },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into training_checkpoints (job_id, attempt, name, step, active_ms, size_bytes, loss, eval_loss)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing returning name`,
    [jobId, attempt, name, step, activeMs, sizeBytes, losses.loss, losses.evalLoss],
  );
  return rows.length > 0;
}

/**
 * Active time of an attempt at its last checkpoint up to this step, without work that was done twice; 0: it has none, as when
 * it resumes from a checkpoint of an earlier attempt.
 */
export async function findCheckpointTime(tx: Sql, { jobId, attempt }: AttemptName, step: number): Promise<number> {
  const [row] = await tx.query<{ activeMs: number }>(
    `select active_ms as "activeMs" from training_checkpoints where job_id = $1 and attempt = $2 and step <= $3
      order by step desc limit 1`,
    [jobId, attempt, step],
  );
  return row?.activeMs ?? 0;
}

type StoredCheckpoint = { attempt: number; name: string; step: number; files: string[]; createdAt: Date };

/** The newest checkpoints of a job that are in the object store, of all attempts. */
export function listStoredCheckpoints(sql: Sql, jobId: string): Promise<StoredCheckpoint[]> {
  return sql.query<StoredCheckpoint>(
    `select attempt, name, step, files, created_at as "createdAt" from training_checkpoints
      where job_id = $1 and files is not null and removed_at is null order by attempt desc, step desc`,
    [jobId],
  );
}

/** Its files are about to be uploaded. False: there is no such checkpoint. */
export async function noteCheckpointFiles(
  sql: Sql,
  { jobId, attempt }: AttemptName,
  name: string,
  files: readonly string[],
): Promise<boolean> {
  const rows = await sql.query(
    `update training_checkpoints set noted_files = $4, files = null, removed_at = null
      where job_id = $1 and attempt = $2 and name = $3 returning name`,
    [jobId, attempt, name, JSON.stringify(files)],
  );
  return rows.length > 0;
}

export async function noteCheckpointStored(sql: Sql, { jobId, attempt }: AttemptName, name: string): Promise<void> {
  await sql.query(
    `update training_checkpoints set files = noted_files, removed_at = null
      where job_id = $1 and attempt = $2 and name = $3`,
    [jobId, attempt, name],
  );
}

/** All checkpoints of an attempt in the object store, but for the newest complete ones. */
export function listSurplusCheckpoints(
  sql: Sql,
  { jobId, attempt }: AttemptName,
  kept: number,
): Promise<{ name: string; files: string[] }[]> {
  return sql.query(
    `select name, noted_files as files from training_checkpoints
      where job_id = $1 and attempt = $2 and removed_at is null and noted_files is not null
        and name not in (select name from training_checkpoints
                          where job_id = $1 and attempt = $2 and removed_at is null and files is not null
                          order by step desc limit $3)`,
    [jobId, attempt, kept],
  );
}

export async function noteCheckpointRemoved(sql: Sql, { jobId, attempt }: AttemptName, name: string): Promise<void> {
  await sql.query(
    'update training_checkpoints set removed_at = now() where job_id = $1 and attempt = $2 and name = $3',
    [jobId, attempt, name],
  );
}

/** Checkpoints of jobs that have succeeded, or have been over for so long, can no longer be resumed from. */
export async function retireCheckpoints(sql: Sql, keptDays: number): Promise<void> {
  await sql.query(
    `update training_checkpoints c set files = null
       from (select o.job_id, o.attempt, o.name
               from training_checkpoints o join training_jobs j on j.id = o.job_id
              where o.files is not null and o.removed_at is null and j.finished_at is not null
                and (j.state = 'succeeded' or not j.keeps_checkpoints or j.finished_at < now() - $1 * interval '1 day')
                for no key update of o skip locked) old
      where (c.job_id, c.attempt, c.name) = (old.job_id, old.attempt, old.name)`,
    [keptDays],
  );
}

type UnusedCheckpoint = AttemptName & { name: string; files: string[] };

/** Checkpoints that nobody can resume from, or that were never complete, and of which objects may exist. */
export function listUnusedCheckpoints(sql: Sql, limit: number): Promise<UnusedCheckpoint[]> {
  return sql.query<UnusedCheckpoint>(
    `select c.job_id as "jobId", c.attempt, c.name, c.noted_files as files
       from training_checkpoints c join training_jobs j on j.id = c.job_id
      where c.files is null and c.noted_files is not null and c.removed_at is null and j.finished_at is not null
      order by c.job_id, c.attempt, c.name limit $1`,
    [limit],
  );
}
