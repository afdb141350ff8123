import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '#db';
import { isUnavailableFault, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { advance, type TransitionContext } from '../jobs/advance.ts';
import type { JobLease, TrainingJob } from '../jobs/job.ts';
import { isFinal, type JobEvent } from '../jobs/lifecycle.ts';
import type { PublishAttempt } from '../publish/publish.ts';
import type { Runner } from '../runners/runner.ts';
import { type LeaseHeartbeat, type LeaseTiming, lockLeasedJob } from './lease.ts';
import type { MakeSnapshot } from './snapshots.ts';

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
