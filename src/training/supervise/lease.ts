import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '#db';
import { isUnavailableFault, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { advance, type TransitionContext } from '../jobs/advance.ts';
import type { JobLease, TrainingJob } from '../jobs/job.ts';
import { lockJob } from '../jobs/jobs.store.ts';
import { isFinal, type JobEvent, type JobState, workedStates } from '../jobs/lifecycle.ts';
import type { PublishAttempt } from '../publish/publish.ts';
import type { Runner } from '../runners/runner.ts';
import { findWork, isWorkWaiting, renewLease, takeLease } from './lease.store.ts';
import type { MakeSnapshot } from './snapshots.ts';

/** Thrown when another worker has the lease: this one must write nothing more about the job. */
export class LeaseLost extends Error {}

export type ClaimedJob = { job: TrainingJob; lease: JobLease };

/**
 * Takes the next job. One whose worker let its lease expire counts a loss first, which may end the job: then the next one is
 * taken. Null: there is nothing to do.
 */
export async function claim(
  database: Database,
  { holder, seconds }: { holder: string; seconds: number },
): Promise<ClaimedJob | null> {
  while (await isWorkWaiting(database)) {
    const found = await database.transaction(async (tx) => {
      const id = await findWork(tx);
      const seen = id === null ? null : await lockJob(tx, id);
      if (!seen) return null;
      const isAbandoned = workedStates.some((state) => state === seen.state);
      const message = 'The worker has shown no life for a while.';
      const free = isAbandoned ? await advance(tx, seen, { type: 'lost' }, { message }) : seen;
      if (!free || isFinal(free.state)) return 'ended';
      const job = await advance(tx, free, { type: 'claimed' });
      if (!job) throw new Error(`${free.id} waits and cannot be claimed. This is a bug.`);
      const lease = { jobId: job.id, attempt: job.attempt, holder };
      await takeLease(tx, lease, seconds);
      return { job: { ...job, leaseHolder: holder }, lease };
    });
    if (found !== 'ended') return found;
  }
  return null;
}

/** The job, locked; throws `LeaseLost`. */
export async function lockLeasedJob(tx: Sql, { jobId, attempt, holder }: JobLease): Promise<TrainingJob> {
  const job = await lockJob(tx, jobId);
  if (job && job.attempt === attempt && job.leaseHolder === holder) return job;
  throw new LeaseLost(`${jobId} has another worker.`);
}

type LeaseTiming = {
  heartbeatMs: number;
  /** Without a heartbeat for so long, others take the job. */
  leaseSeconds: number;
};

type LeaseHeartbeat = {
  /** Aborts when the lease is lost or has ended; see `reason`. */
  signal: AbortSignal;
  stop: () => Promise<void>;
};

/**
 * Renews a lease while its job is worked on, and reports the state of the job each time. A worker that cannot renew it for
 * so long that others may have taken the job lets go of it.
 */
export function startHeartbeat(
  { database, lease, timing }: { database: Database; lease: JobLease; timing: LeaseTiming },
  onState: (state: JobState) => void,
): LeaseHeartbeat {
  const { heartbeatMs, leaseSeconds } = timing;
  const lost = new AbortController();
  let renewedMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let renewing = Promise.resolve();
  let stopped = false;

  async function renew(): Promise<void> {
    try {
      const state = await renewLease(database, lease, leaseSeconds);
      if (state === null) return lost.abort(new LeaseLost('The job has another worker.'));
      renewedMs = performance.now();
      onState(state);
    } catch {
      // The database is unavailable: the lease holds until it expires.
      const silentMs = performance.now() - renewedMs;
      if (silentMs > leaseSeconds * 800) lost.abort(new LeaseLost('The lease could not be renewed for too long.'));
    }
  }

  function heartbeat(): void {
    renewing = renew().then(() => {
      if (!stopped && !lost.signal.aborted) timer = setTimeout(heartbeat, heartbeatMs).unref();
    });
  }

  heartbeat();
  return {
    signal: lost.signal,
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await renewing;
      // Ends everything that still waits for the database under this lease: no other signal would reach it.
      lost.abort(new LeaseLost('The work has ended.'));
    },
  };
}

export type WorkerDeps = {
  database: Database;
  objects: ObjectStore;
  runner: Runner;
  makeSnapshot: MakeSnapshot;
  /** Weights of a base model to train on, as a Hugging Face folder. Throws `AttemptFailure`. */
  weightsOf: (job: TrainingJob) => Promise<{ dir: string; arch: string }>;
  publish: PublishAttempt;
  deploy: (job: TrainingJob) => Promise<void>;
  onChange: (jobId: string) => void;
  /** An account may have been charged. */
  onCharge: (accountId: string) => void;
  root: string;
  timing: LeaseTiming & { batchMs: number; checkpointSeconds: number };
  log: Log;
};

export type LeasedJob = {
  lease: JobLease;
  heartbeat: LeaseHeartbeat;
  signal: AbortSignal;
  canceled: AbortSignal;
  folder: string;
};

/** Applies an event to the job of this worker. Null: it does not apply to its state. */
export async function applyEvent(
  deps: Pick<WorkerDeps, 'database' | 'onChange' | 'onCharge'>,
  leased: LeasedJob,
  event: JobEvent,
  context: TransitionContext = {},
): Promise<TrainingJob | null> {
  const advanced = await withLeasedJob(deps, leased, (tx, job) => advance(tx, job, event, context));
  deps.onChange(leased.lease.jobId);
  if (advanced && isFinal(advanced.state)) deps.onCharge(advanced.accountId);
  return advanced;
}

/** One transaction on the job of this worker, which waits while the database is unavailable. Throws `LeaseLost`. */
export function withLeasedJob<Result>(
  { database }: Pick<WorkerDeps, 'database'>,
  { lease, heartbeat }: Pick<LeasedJob, 'lease' | 'heartbeat'>,
  change: (tx: Sql, job: TrainingJob) => Promise<Result>,
): Promise<Result> {
  return retryWhileUnavailable(heartbeat.signal, () =>
    database.transaction(async (tx) => change(tx, await lockLeasedJob(tx, lease))),
  );
}

const retryMs = 500;

/** Tries again while the database is unavailable, for as long as the worker has its job. */
export async function retryWhileUnavailable<Result>(
  signal: AbortSignal,
  attempt: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (!isUnavailableFault(error) || signal.aborted) throw error;
    }
    await sleep(retryMs, undefined, { signal }).catch(() => {});
    signal.throwIfAborted();
  }
}
