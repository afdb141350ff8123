import type { Sql } from '#db';
import type { JobLease } from '../jobs/job.ts';
import type { JobState } from '../jobs/lifecycle.ts';

/**
 * The next job for a worker: one that waits, or one whose lease has expired. Locked, and skipped by others that look at the
 * same time.
 */
export async function findWork(tx: Sql): Promise<string | null> {
  const [row] = await tx.query<{ id: string }>(
    `select id from training_jobs
      where finished_at is null and (lease_until is null or lease_until < now())
      order by queue_round, queued_at, id limit 1 for no key update skip locked`,
    [],
    { name: 'training.find_work' },
  );
  return row?.id ?? null;
}

/** Whether there is any; needs neither lock nor transaction. */
export async function isWorkWaiting(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ yes: boolean }>(
    `select exists (
       select from training_jobs where finished_at is null and (lease_until is null or lease_until < now())) as yes`,
    [],
    { name: 'training.is_work_waiting' },
  );
  return row?.yes ?? false;
}

export async function takeLease(tx: Sql, { jobId, attempt, holder }: JobLease, seconds: number): Promise<void> {
  await tx.query(
    `update training_jobs set lease_holder = $2, lease_until = now() + $3 * interval '1 second' where id = $1`,
    [jobId, holder, seconds],
  );
  await tx.query(
    'update training_attempts set taken_at = coalesce(taken_at, now()) where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}

/** Returns the job's state; null: the lease is somebody else's by now. */
export async function renewLease(
  sql: Sql,
  { jobId, holder }: Pick<JobLease, 'jobId' | 'holder'>,
  seconds: number,
): Promise<JobState | null> {
  const [row] = await sql.query<{ state: JobState }>(
    `update training_jobs set lease_until = now() + $3 * interval '1 second'
      where id = $1 and lease_holder = $2 returning state`,
    [jobId, holder, seconds],
    { name: 'training.renew_lease' },
  );
  return row?.state ?? null;
}

/** A trainer is about to be started: what an earlier one had done elsewhere is to be done again. */
export async function noteTrainerStart(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    'update training_attempts set begun_restart = restart, trained = false where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}

/** This trainer is gone; the next restart has the next number. */
export async function noteTrainerEnd(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    'update training_attempts set restart = restart + 1, trainer_line = 0 where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}
