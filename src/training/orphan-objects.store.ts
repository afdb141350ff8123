import type { Sql } from '#db';

/** An object of an attempt. `checkpoint`: null for its adapter, archive and manifest. */
export type AttemptObject = { key: string; jobId: string; attempt: number; checkpoint: string | null; file: string };
type OrphanObject = { key: string; isForeign: boolean };

/**
 * Objects of attempts that no row refers to, where the attempt has been over for a day and so writes nothing more, and objects
 * of attempts that are not in this database.
 */
export function findOrphansOfAttempts(sql: Sql, objects: readonly AttemptObject[]): Promise<OrphanObject[]> {
  return sql.query<OrphanObject>(
    `select o.key, a.job_id is null as "isForeign"
       from unnest($1::text[], $2::text[], $3::integer[], $4::text[], $5::text[]) as o (key, job_id, attempt, checkpoint, file)
       left join training_attempts a on a.job_id = o.job_id and a.number = o.attempt
       left join training_jobs j on j.id = a.job_id
      where a.job_id is null
         or a.finished_at < now() - interval '1 day'
            and case when o.checkpoint is null
                     then a.state <> 'succeeded' and not a.artifacts_noted and not (j.state = 'succeeded' and j.attempt = a.number)
                     else not exists (
                       select from training_checkpoints c
                        where (c.job_id, c.attempt, c.name) = (o.job_id, o.attempt, o.checkpoint) and c.removed_at is null
                          and c.noted_files ? o.file)
                end`,
    [
      objects.map(({ key }) => key),
      objects.map(({ jobId }) => jobId),
      objects.map(({ attempt }) => attempt),
      objects.map(({ checkpoint }) => checkpoint),
      objects.map(({ file }) => file),
    ],
  );
}

export async function listUnknownSnapshots(sql: Sql, digests: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ sha256: string }>(
    `select distinct s.sha256 from unnest($1::text[]) as s (sha256)
      where not exists (select from training_snapshots k where k.sha256 = s.sha256)
        and not exists (select from training_jobs j where j.snapshot is not null and j.snapshot->>'sha256' = s.sha256)`,
    [digests],
  );
  return rows.map(({ sha256 }) => sha256);
}

/** Gives these snapshots rows, by which the next maintenance removes them unless a job needs one by then. */
export async function registerSnapshots(sql: Sql, digests: readonly string[]): Promise<void> {
  await sql.query(
    `insert into training_snapshots (sha256, noted_at) select distinct sha256, now() - interval '2 days' from unnest($1::text[]) as s (sha256)
     on conflict do nothing`,
    [digests],
  );
}
