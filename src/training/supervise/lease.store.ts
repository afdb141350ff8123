import type { Sql } from '#db';
import type { JobState } from '../jobs/lifecycle.ts';

/**
 * The next job for a worker: one that waits, or one whose worker shows no life any more. Locked, and passed over by others
 * that ask at the same time.
 */
export async function findWork(tx: Sql): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from training_jobs
      where finished_at is null and (lease_until is null or lease_until < now())
      order by turn, queued_at, id limit 1 for no key update skip locked`,
    [],
    { name: 'training.find_work' },
  );
  return row?.id ?? null;
}

/** Whether there is any; who only looks needs neither lock nor transaction. */
export async function isWorkWaiting(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ yes: boolean }>(
    `select exists (
       select from training_jobs where finished_at is null and (lease_until is null or lease_until < now())) as yes`,
    [],
    { name: 'training.is_work_waiting' },
  );
  return row?.yes ?? false;
}

export async function takeLease(
  tx: Sql,
  { jobId, attempt, holder, seconds }: { jobId: string; attempt: number; holder: string; seconds: number },
): Promise<void> {
  await tx.query(
    `update training_jobs set lease_holder = $2, lease_until = now() + $3 * interval '1 second' where id = $1`,
    [jobId, holder, seconds],
  );
  await tx.query(
    'update training_attempts set taken_at = coalesce(taken_at, now()) where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}

/** Shows life. Returns the job's state; null: the lease is somebody else's by now. */
export async function renewLease(
  sql: Sql,
  { jobId, holder, seconds }: { jobId: string; holder: string; seconds: number },
): Promise<JobState | null> {
  const [row] = await sql.query<{ state: JobState }>(
    `update training_jobs set lease_until = now() + $3 * interval '1 second'
      where id = $1 and lease_holder = $2 returning state`,
    [jobId, holder, seconds],
    { name: 'training.renew_lease' },
  );
  return row?.state ?? null;
}

/** A start of a trainer is about to be made: what an earlier one had done, elsewhere, is to be done again. */
export async function noteBegun(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    'update training_attempts set begun_restart = restart, trained = false where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}

/** The trainer of this start is gone; the next one has the next number. */
export async function noteEnded(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    'update training_attempts set restart = restart + 1, trainer_line = 0 where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}
