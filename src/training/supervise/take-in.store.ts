import type { Sql } from '#db';
import type { AttemptName, Progress } from '../jobs/job.ts';

/** Clocks differ, and a worker has a job a moment before it says so. */
const clockSlackMs = 2_000;

/**
 * What of a trainer's lines is in the log, and how far it is. Active time cannot be longer than the attempt is in the hands of workers,
 * whatever a trainer elsewhere says.
 */
export async function noteTakenIn(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  taken: { seq: number; line: number; toldMs: number; redoneMs: number; step: number; droppedLines: number },
): Promise<void> {
  await tx.query(
    `update training_attempts
        set trainer_seq = greatest(trainer_seq, $3), trainer_line = greatest(trainer_line, $4),
            active_ms = greatest(active_ms,
              least($5, extract(epoch from clock_timestamp() - taken_at)::float8 * 1000 + ${clockSlackMs}) - $6),
            redone_ms = $6, steps = greatest(steps, $7), dropped_lines = dropped_lines + $8
      where job_id = $1 and number = $2`,
    [jobId, attempt, taken.seq, taken.line, taken.toldMs, taken.redoneMs, taken.step, taken.droppedLines],
  );
}

export async function noteProgress(
  tx: Sql,
  jobId: string,
  { progress, phase }: { progress: Progress | null; phase: string | null },
): Promise<void> {
  await tx.query(
    `update training_jobs set progress = coalesce($2, progress), phase = coalesce($3, phase), updated_at = now() where id = $1`,
    [jobId, progress && JSON.stringify(progress), phase],
  );
}

export type Measurement = { name: string; step: number; value: number };

/** A step that is done again replaces what it had measured. */
export async function writeMetrics(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  measurements: readonly Measurement[],
): Promise<void> {
  const latest = new Map(measurements.map((each) => [`${each.name} ${each.step}`, each]));
  const rows = [...latest.values()];
  if (rows.length === 0) return;
  await tx.query(
    `insert into training_metrics (job_id, attempt, name, step, value)
     select $1, $2, name, step, value from unnest($3::text[], $4::integer[], $5::float8[]) as row (name, step, value)
     on conflict (job_id, attempt, name, step) do update set value = excluded.value`,
    [jobId, attempt, rows.map(({ name }) => name), rows.map(({ step }) => step), rows.map(({ value }) => value)],
  );
}

export type CheckpointRow = { name: string; step: number; activeMs: number; sizeBytes: number };

/** False: it is known already. */
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
 * Active time of an attempt when it had done so many steps, by its last checkpoint until then, without what was done twice; 0: it has
 * none, as when it goes on from that of an earlier attempt.
 */
export async function findCheckpointTime(tx: Sql, { jobId, attempt }: AttemptName, step: number): Promise<number> {
  const [row] = await tx.query<{ activeMs: number }>(
    `select active_ms as "activeMs" from training_checkpoints where job_id = $1 and attempt = $2 and step <= $3
      order by step desc limit 1`,
    [jobId, attempt, step],
  );
  return row?.activeMs ?? 0;
}

export type StoredCheckpoint = { attempt: number; name: string; step: number; files: string[]; createdAt: Date };

/** The newest checkpoints of a job that are in the object store, of all attempts. */
export function listStoredCheckpoints(sql: Sql, jobId: string): Promise<StoredCheckpoint[]> {
  return sql.query<StoredCheckpoint>(
    `select attempt, name, step, files, created_at as "createdAt" from training_checkpoints
      where job_id = $1 and files is not null and removed_at is null order by attempt desc, step desc`,
    [jobId],
  );
}

/** Its files are about to be put into the object store. False: nobody knows of such a checkpoint. */
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

/** All of its files are there. */
export async function noteCheckpointStored(sql: Sql, { jobId, attempt }: AttemptName, name: string): Promise<void> {
  await sql.query(
    `update training_checkpoints set files = noted_files, removed_at = null
      where job_id = $1 and attempt = $2 and name = $3`,
    [jobId, attempt, name],
  );
}

/** Of what an attempt has stored, or begun to store, all but the newest that are whole. */
export function listSurplusCheckpoints(
  sql: Sql,
  { jobId, attempt }: AttemptName,
  kept: number,
): Promise<{ name: string; files: string[] }[]> {
  return sql.query(
    `select name, coalesce(noted_files, files) as files from training_checkpoints
      where job_id = $1 and attempt = $2 and removed_at is null and coalesce(noted_files, files) is not null
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

export async function writeSnapshot(tx: Sql, jobId: string, snapshot: object): Promise<void> {
  await tx.query('update training_jobs set snapshot = $2 where id = $1', [jobId, JSON.stringify(snapshot)]);
}

/** The last values of what was measured in evaluations of one kind. */
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
