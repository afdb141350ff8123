import type { Sql } from '#db';
import type { AttemptName } from './jobs/job.ts';

/** Of these jobs, the attempts that have been over for a while. */
export function listOverAttempts(sql: Sql, jobIds: readonly string[]): Promise<AttemptName[]> {
  return sql.query(
    `select job_id as "jobId", number as attempt from training_attempts
      where job_id = any($1::text[]) and finished_at < now() - interval '10 minutes'`,
    [jobIds],
  );
}

/** Lets nobody go on any more from checkpoints that nobody can use, or has gone on from for so long. */
export async function retireCheckpoints(sql: Sql, keptDays: number): Promise<void> {
  await sql.query(
    `update training_checkpoints c set noted_files = coalesce(c.noted_files, c.files), files = null
       from (select o.job_id, o.attempt, o.name
               from training_checkpoints o join training_jobs j on j.id = o.job_id
              where o.files is not null and o.removed_at is null and j.finished_at is not null
                and (j.state = 'succeeded' or not j.keeps_checkpoints or j.finished_at < now() - $1 * interval '1 day')
                for no key update of o skip locked) old
      where (c.job_id, c.attempt, c.name) = (old.job_id, old.attempt, old.name)`,
    [keptDays],
  );
}

export type OldCheckpoint = AttemptName & { name: string; files: string[] };

/** Checkpoints that are of no use, or were never whole, and of which objects may be there. */
export function listUselessCheckpoints(sql: Sql, limit: number): Promise<OldCheckpoint[]> {
  return sql.query<OldCheckpoint>(
    `select c.job_id as "jobId", c.attempt, c.name, c.noted_files as files
       from training_checkpoints c join training_jobs j on j.id = c.job_id
      where c.files is null and c.noted_files is not null and c.removed_at is null and j.finished_at is not null
      order by c.job_id, c.attempt, c.name limit $1`,
    [limit],
  );
}

/** Attempts that are over without success, and have saved something or begun to. */
export function listFailedSaves(sql: Sql, limit: number): Promise<AttemptName[]> {
  return sql.query(
    `select job_id as "jobId", number as attempt from training_attempts
      where artifacts_noted and state <> 'succeeded' and finished_at < now() - interval '10 minutes'
      order by finished_at limit $1`,
    [limit],
  );
}

export async function noteArtifacts(sql: Sql, { jobId, attempt }: AttemptName, areThere: boolean): Promise<void> {
  await sql.query('update training_attempts set artifacts_noted = $3 where job_id = $1 and number = $2', [
    jobId,
    attempt,
    areThere,
  ]);
}

/**
 * A snapshot is about to be made, or to be used: for a day nobody removes it. Waits for whoever is removing it just now; what is
 * there afterwards stays.
 */
export async function noteSnapshot(sql: Sql, sha256: string): Promise<void> {
  await sql.query(
    `insert into training_snapshots (sha256) values ($1)
     on conflict (sha256) do update set noted_at = excluded.noted_at`,
    [sha256],
  );
}

/**
 * Locks a snapshot that no job needs which is not over, or may be tried again soon; null: there is none, or others are at it.
 * Until the transaction ends nobody can need it.
 */
export async function lockUselessSnapshot(tx: Sql, keptDays: number): Promise<string | null> {
  // What is removed may be slow to go; the database must not take the lock away meanwhile.
  await tx.query('set local idle_in_transaction_session_timeout = 0');
  const [row] = await tx.query<{ sha256: string }>(
    `select sha256 from training_snapshots s
      where noted_at < now() - interval '1 day' and not exists (
        select from training_jobs j
         where j.snapshot is not null and j.snapshot->>'sha256' = s.sha256
           and (j.finished_at is null
                or j.state <> 'succeeded' and j.finished_at > now() - $1 * interval '1 day'))
      order by noted_at limit 1 for update skip locked`,
    [keptDays],
  );
  return row?.sha256 ?? null;
}

export async function forgetSnapshot(tx: Sql, sha256: string): Promise<void> {
  await tx.query('delete from training_snapshots where sha256 = $1', [sha256]);
}
