import type { Sql } from '#db';
import type { AttemptName } from './jobs/job.ts';

export function listFinishedAttempts(sql: Sql, jobIds: readonly string[]): Promise<AttemptName[]> {
  return sql.query(
    `select job_id as "jobId", number as attempt from training_attempts
      where job_id = any($1::text[]) and finished_at < now() - interval '10 minutes'`,
    [jobIds],
  );
}

/** Those of these jobs that are not in the database. */
export async function listUnknownJobs(sql: Sql, jobIds: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select known.id from unnest($1::text[]) as known (id)
      where not exists (select from training_jobs j where j.id = known.id)`,
    [jobIds],
  );
  return rows.map(({ id }) => id);
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
export async function lockUnusedSnapshot(tx: Sql, keptDays: number): Promise<string | null> {
  // Removing the objects may take long; the database must not end the transaction meanwhile.
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

export async function removeSnapshotRow(tx: Sql, sha256: string): Promise<void> {
  await tx.query('delete from training_snapshots where sha256 = $1', [sha256]);
}
