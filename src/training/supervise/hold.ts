import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import { advance, type Circumstances } from '../jobs/advance.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { isFinal, type LifeEvent } from '../jobs/lifecycle.ts';
import type { Runner } from '../runners/runner.ts';
import type { Lease, LeaseTiming } from './lease.ts';
import { patiently } from './patiently.ts';
import type { MakeSnapshot, Publish } from './ports.ts';
import { type Held, lockHeld } from './take-in.ts';

export type WorkerLog = {
  info: (details: object, message: string) => void;
  warn: (details: object, message: string) => void;
};

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
  log: WorkerLog;
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
  { database, changed, settled }: Pick<WorkerDeps, 'database' | 'changed' | 'settled'>,
  { held, lease }: Hold,
  event: LifeEvent,
  circumstances: Circumstances = {},
): Promise<TrainingJob | null> {
  const job = await patiently(lease.signal, () =>
    database.transaction(async (tx) => advance(tx, await lockHeld(tx, held), event, circumstances)),
  );
  changed(held.jobId);
  if (job && isFinal(job.state)) settled(job.accountId);
  return job;
}
