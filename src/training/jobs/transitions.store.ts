import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { JobError, JobResult } from './job.ts';
import { nextQueueRound } from './jobs.store.ts';
import type { JobState } from './lifecycle.ts';

export type JobChange = {
  id: string;
  from: { state: JobState; attempt: number };
  to: { state: JobState; attempt: number; interruptions: number; crashes: number; hasStarted: boolean };
  isFinal: boolean;
  isLeased: boolean;
  error: JobError | null;
  success: { result: JobResult; adapterSha256: string; archive: { sha256: string; bytes: number } } | null;
};

/** The process that ends a job also points its alias at it. If that has not happened after this time, another server does it. */
const deployTimeout = '1 minute';

/** Compare and set; false: the job is in another state or attempt by now. */
export async function writeTransition(tx: Sql, change: JobChange): Promise<boolean> {
  const { id, from, to, isFinal, isLeased, error, success } = change;
  const rows = await tx.query(
    `update training_jobs
        set state = $4, attempt = $5, interruptions = $6, updated_at = now(),
            finished_at = case when $7 then coalesce(finished_at, now()) end,
            started_at = case when $8 then coalesce(started_at, now()) end,
            queued_at = case when $5 > attempt then now() else queued_at end,
            queue_round = case when $5 > attempt then ${nextQueueRound('training_jobs.account_id')} else queue_round end,
            lease_holder = case when $9 then lease_holder end, lease_until = case when $9 then lease_until end,
            phase = case when $4 = state then phase end, error = $10, result = coalesce($11, result),
            progress = case when $5 > attempt then null else progress end,
            adapter_sha256 = coalesce($12, adapter_sha256), archive_sha256 = coalesce($13, archive_sha256),
            archive_bytes = coalesce($14, archive_bytes), crashes = $15,
            deploy_at = case when $11::jsonb is not null and deploy is not null then now() + interval '${deployTimeout}' end
      where id = $1 and state = $2 and attempt = $3 returning id`,
    [
      ...[id, from.state, from.attempt, to.state, to.attempt, to.interruptions, isFinal, to.hasStarted, isLeased],
      ...[error && JSON.stringify(error), success && JSON.stringify(success.result), success?.adapterSha256 ?? null],
      ...[success?.archive.sha256 ?? null, success?.archive.bytes ?? null],
      to.crashes,
    ],
  );
  return rows.length > 0;
}

/** Jobs whose alias does not point at them yet, each for one server at a time. */
export async function takeDueDeployments(sql: Sql, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `update training_jobs set deploy_at = now() + interval '${deployTimeout}'
      where id in (select id from training_jobs where deploy_at < now() order by deploy_at, id limit $1
                   for no key update skip locked)
      returning id`,
    [limit],
  );
  return rows.map(({ id }) => id);
}

export async function noteDeployed(sql: Sql, jobId: string): Promise<void> {
  await sql.query('update training_jobs set deploy_at = null where id = $1', [jobId]);
}

export async function noteAttemptStart(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query(
    'update training_attempts set started_at = coalesce(started_at, now()) where job_id = $1 and number = $2',
    [jobId, attempt],
  );
}

export async function noteTrained(tx: Sql, jobId: string, attempt: number): Promise<void> {
  await tx.query('update training_attempts set trained = true where job_id = $1 and number = $2', [jobId, attempt]);
}

export async function endAttempt(
  tx: Sql,
  end: {
    jobId: string;
    attempt: number;
    state: JobState;
    billedMs: bigint;
    chargedMicro: Micro;
    error: JobError | null;
  },
): Promise<void> {
  await tx.query(
    `update training_attempts
        set state = $3, billed_ms = $4, charged_micro = $5, error = $6, finished_at = now()
      where job_id = $1 and number = $2`,
    [end.jobId, end.attempt, end.state, end.billedMs, end.chargedMicro, end.error && JSON.stringify(end.error)],
  );
}

export async function findAttemptTime(tx: Sql, jobId: string, attempt: number): Promise<number> {
  const [row] = await tx.query<{ activeMs: number }>(
    'select active_ms as "activeMs" from training_attempts where job_id = $1 and number = $2',
    [jobId, attempt],
  );
  return row?.activeMs ?? 0;
}
