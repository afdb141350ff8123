import type { Database, Sql } from '#db';
import type { Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { advance, type Circumstances } from '../jobs/advance.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { isFinal, type LifeEvent } from '../jobs/lifecycle.ts';
import type { Runner } from '../runners/runner.ts';
import type { Lease, LeaseTiming } from './lease.ts';
import { patiently } from './patiently.ts';
import type { MakeSnapshot, Publish } from './ports.ts';
import { type Held, lockHeld } from './take-in.ts';

export type WorkerDeps = {
  database: Database;
  objects: ObjectStore;
  runner: Runner;
  makeSnapshot: MakeSnapshot;
  /** Of a base model, to train on: a folder in Hugging Face form. Throws `AttemptFailure`. */
  weightsOf: (job: TrainingJob) => Promise<{ dir: string; arch: string }>;
  publish: Publish;
  /** Once a job has succeeded: puts it behind its alias. */
  deploy: (job: TrainingJob) => Promise<void>;
  /** Something of a job has changed. */
  changed: (jobId: string) => void;
  /** An account may have been charged. */
  settled: (accountId: string) => void;
  /** Attempts have their folders in here. */
  root: string;
  timing: LeaseTiming & { gatherMs: number; checkpointSeconds: number };
  log: Log;
};

/** What a worker knows while it has a job. */
export type Hold = {
  held: Held;
  lease: Lease;
  /** Aborts when this worker has to let go. */
  signal: AbortSignal;
  /** Aborts when the job is to be canceled. */
  canceled: AbortSignal;
  folder: string;
};

/** Lets something happen to the job of this worker. Null: it cannot happen to it any more. */
export async function step(
  deps: Pick<WorkerDeps, 'database' | 'changed' | 'settled'>,
  hold: Hold,
  event: LifeEvent,
  circumstances: Circumstances = {},
): Promise<TrainingJob | null> {
  const advanced = await withHeldJob(deps, hold, (tx, job) => advance(tx, job, event, circumstances));
  deps.changed(hold.held.jobId);
  if (advanced && isFinal(advanced.state)) deps.settled(advanced.accountId);
  return advanced;
}

/** One transaction on the job of this worker, which waits while the database is away. Throws `LeaseLost`. */
export function withHeldJob<Result>(
  { database }: Pick<WorkerDeps, 'database'>,
  { held, lease }: Pick<Hold, 'held' | 'lease'>,
  change: (tx: Sql, job: TrainingJob) => Promise<Result>,
): Promise<Result> {
  return patiently(lease.signal, () => database.transaction(async (tx) => change(tx, await lockHeld(tx, held))));
}
