import { advance } from '../jobs/advance.ts';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { appendLogs, findFailure } from '../logs/logs.store.ts';
import { exitCodes, type TrainerSpec } from '../runners/protocol.ts';
import type { Outcome } from '../runners/runner.ts';
import { continueCounting, hasMoved, layOutData, writeSpec } from './attempt-folder.ts';
import { type CheckpointKeeper, createCheckpointKeeper } from './checkpoints.ts';
import { followTrainer } from './follow-trainer.ts';
import { type Hold, step, type WorkerDeps, withHeldJob } from './hold.ts';
import { noteBegun, noteEnded } from './lease.store.ts';
import { leftOutLines } from './left-out.ts';
import { specOf } from './spec.ts';
import { writeSnapshot } from './take-in.store.ts';
import { failureOf, isLoss } from './trainer-outcome.ts';

/** Longest active time as a multiple of the high estimate, so that a trainer that is stuck ends at some time. */
const patienceFactor = 10;
const shortestLimitMs = 3_600_000;

type Loss = { wasBegun: boolean; type: 'lost' | 'crashed'; message: string };

/**
 * Runs trainers for a job until one is done: null when the job is over, or waits for a worker again. Throws
 * `AttemptFailure` when the attempt has failed.
 */
export async function runTrainers(deps: WorkerDeps, hold: Hold, claimed: TrainingJob): Promise<TrainingJob | null> {
  const { folder, canceled } = hold;
  const checkpoints = createCheckpointKeeper(deps, hold);
  let job = claimed;
  for (;;) {
    const spec = await prepare(deps, hold, { job, checkpoints });
    await moveHere(deps, hold, job);
    await writeSpec(folder, spec);
    job = await begin(deps, hold);
    const wasBegun = job.begunRestart === job.restart;
    const { outcome, said, isStuck } = await followTrainer(deps, hold, { job, spec, checkpoints });
    if (outcome.kind === 'exited' && outcome.code === exitCodes.done) return finish(deps, hold);
    if (outcome.kind === 'exited' && outcome.code === exitCodes.cancelled && canceled.aborted) {
      await step(deps, hold, { type: 'stopped' });
      return null;
    }
    // A trainer's failure that an earlier worker has received is not sent again: it is read from the log.
    if (!isLoss(outcome)) throw failureOf(outcome, said ?? (await findFailure(deps.database, hold.held)));
    if (!(await lose(deps, hold, { wasBegun, ...lossOf(outcome, isStuck) }))) return null;
    job = { ...job, restart: job.restart + 1, trainerLine: 0 };
  }
}

/** Lays out what the next trainer needs, and says what it is to do. */
async function prepare(
  deps: WorkerDeps,
  hold: Hold,
  { job, checkpoints }: { job: TrainingJob; checkpoints: CheckpointKeeper },
): Promise<TrainerSpec> {
  const { signal, canceled, folder } = hold;
  const either = AbortSignal.any([signal, canceled]);
  const base = await deps.weightsOf(job);
  const snapshot = await deps.makeSnapshot(job, either);
  either.throwIfAborted();
  if (job.snapshot?.sha256 !== snapshot.sha256)
    await withHeldJob(deps, hold, async (tx, { attempt }) => {
      await writeSnapshot(tx, job.id, snapshot);
      const lines = leftOutLines(snapshot);
      if (lines.length > 0) await appendLogs(tx, { jobId: job.id, attempt }, lines);
    });
  await layOutData(deps.objects, folder, snapshot);
  const resumeFrom = await checkpoints.resumePoint(job);
  const maxActiveMs = Math.max(shortestLimitMs, job.estimatedMs * patienceFactor);
  const { checkpointSeconds } = deps.timing;
  return specOf({ job, snapshot, base, resumeFrom, maxActiveMs, checkpointSeconds });
}

/** Lets an attempt that ran on another machine go on here. */
async function moveHere(deps: WorkerDeps, hold: Hold, job: TrainingJob): Promise<void> {
  const { folder } = hold;
  const told = { seq: Number(job.trainerSeq), activeMs: job.attemptMs + job.redoneMs };
  if (!(await hasMoved(folder, told))) return;
  // What runs elsewhere cannot be attached to from this machine. Recorded last: a worker that dies before this begins the
  // attempt again.
  if (deps.runner.name === 'local')
    await lose(deps, hold, { wasBegun: true, type: 'lost', message: 'The trainer ran on another machine.' });
  await continueCounting(folder, told);
}

/** The trainer of this start has begun, or will. */
function begin(deps: WorkerDeps, hold: Hold): Promise<TrainingJob> {
  return withHeldJob(deps, hold, async (tx, job) => {
    await noteBegun(tx, job.id, job.attempt);
    return job;
  });
}

function lossOf(outcome: Outcome, isStuck: boolean): Pick<Loss, 'type' | 'message'> {
  if (outcome.kind === 'exited') return { type: 'lost', message: 'The trainer was interrupted.' };
  return { type: isStuck ? 'crashed' : 'lost', message: outcome.reason };
}

/**
 * This trainer is gone; the next start is another one. Where it was there before this worker, whatever ended it has been
 * counted, or was no loss: the worker goes on at once. Returns whether it does.
 */
function lose(deps: WorkerDeps, hold: Hold, { wasBegun, type, message }: Loss): Promise<boolean> {
  return withHeldJob(deps, hold, async (tx, job) => {
    await noteEnded(tx, job.id, job.attempt);
    if (wasBegun && job.state !== 'canceling') return true;
    await advance(tx, job, { type }, { message });
    return false;
  });
}

async function finish(deps: WorkerDeps, hold: Hold): Promise<TrainingJob> {
  const job = await step(deps, hold, { type: 'trained' });
  if (job) return job;
  throw new AttemptFailure('internal_error', 'The trainer ended well without having begun.');
}
