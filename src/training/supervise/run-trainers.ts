import { advance } from '../jobs/advance.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { AttemptFailure, type FailureCode, failureCodes } from '../jobs/lifecycle.ts';
import { appendLogs, findFailure } from '../logs/logs.store.ts';
import { exitCodes, type TrainerSpec } from '../runners/protocol.ts';
import type { TrainerOutcome } from '../runners/runner.ts';
import type { TrainerFailure } from '../runners/trainer-events.ts';
import { continueCounting, hasMoved, layOutData, writeSpec } from './attempt-folder.ts';
import { type CheckpointUploads, createCheckpointUploads } from './checkpoints.ts';
import { followTrainer } from './follow-trainer.ts';
import { noteTrainerEnd, noteTrainerStart } from './lease.store.ts';
import { applyEvent, type LeasedJob, type WorkerDeps, withLeasedJob } from './lease.ts';
import { droppedExampleLines } from './log-lines.ts';
import { writeSnapshot } from './record-output.store.ts';
import { specOf } from './trainer-spec.ts';

/** Longest active time as a multiple of the high estimate, so that a trainer that is stuck ends at some time. */
const timeLimitFactor = 10;
const shortestTimeLimitMs = 3_600_000;

type TrainerLoss = { wasStarted: boolean; type: 'lost' | 'crashed'; message: string };

/**
 * Runs trainers for a job until one is done: null when the job is over, or waits for a worker again. Throws
 * `AttemptFailure` when the attempt has failed.
 */
export async function runTrainers(
  deps: WorkerDeps,
  leased: LeasedJob,
  claimed: TrainingJob,
): Promise<TrainingJob | null> {
  const { folder, canceled, lease } = leased;
  const checkpoints = createCheckpointUploads(deps, leased);
  let job = claimed;
  for (;;) {
    const spec = await prepare(deps, leased, { job, checkpoints });
    await moveHere(deps, leased, job);
    await writeSpec(folder, spec);
    job = await noteStart(deps, leased);
    const wasStarted = job.begunRestart === job.restart;
    const { outcome, failure, isStuck } = await followTrainer(deps, leased, { job, spec, checkpoints });
    if (outcome.kind === 'exited' && outcome.code === exitCodes.done) return finish(deps, leased);
    if (outcome.kind === 'exited' && outcome.code === exitCodes.cancelled && canceled.aborted) {
      await applyEvent(deps, leased, { type: 'stopped' });
      return null;
    }
    // A trainer's failure that an earlier worker has received is not sent again: it is read from the log.
    if (!isLoss(outcome)) throw failureOf(outcome, failure ?? (await findFailure(deps.database, lease)));
    if (!(await recordLoss(deps, leased, { wasStarted, ...lossOf(outcome, isStuck) }))) return null;
    job = { ...job, restart: job.restart + 1, trainerLine: 0 };
  }
}

async function prepare(
  deps: WorkerDeps,
  leased: LeasedJob,
  { job, checkpoints }: { job: TrainingJob; checkpoints: CheckpointUploads },
): Promise<TrainerSpec> {
  const either = AbortSignal.any([leased.signal, leased.canceled]);
  const base = await deps.weightsOf(job);
  const snapshot = await deps.makeSnapshot(job, either);
  either.throwIfAborted();
  if (job.snapshot?.sha256 !== snapshot.sha256)
    await withLeasedJob(deps, leased, async (tx) => {
      await writeSnapshot(tx, job.id, snapshot);
      await appendLogs(tx, leased.lease, droppedExampleLines(snapshot));
    });
  await layOutData(deps.objects, leased.folder, snapshot);
  const resumeFrom = await checkpoints.resumePoint(job);
  const maxActiveMs = Math.max(shortestTimeLimitMs, job.estimatedMs * timeLimitFactor);
  const { checkpointSeconds } = deps.timing;
  return specOf({ job, snapshot, base, resumeFrom, maxActiveMs, checkpointSeconds });
}

async function moveHere(deps: WorkerDeps, leased: LeasedJob, job: TrainingJob): Promise<void> {
  const counters = { seq: Number(job.trainerSeq), activeMs: job.attemptMs + job.redoneMs };
  if (!(await hasMoved(leased.folder, counters))) return;
  // What runs elsewhere cannot be attached to from this machine. Recorded last: a worker that dies before this begins the
  // attempt again.
  if (deps.runner.name === 'local')
    await recordLoss(deps, leased, {
      wasStarted: true,
      type: 'lost',
      message: 'The trainer ran on another machine.',
    });
  await continueCounting(leased.folder, counters);
}

/** This trainer has started, or will. Returns the job as it was before. */
function noteStart(deps: WorkerDeps, leased: LeasedJob): Promise<TrainingJob> {
  return withLeasedJob(deps, leased, async (tx, job) => {
    await noteTrainerStart(tx, job.id, job.attempt);
    return job;
  });
}

/**
 * This trainer is gone; the next start is another one. Where it had been started before this worker came, whatever ended it
 * has been counted, or was no loss: the worker goes on at once. Returns whether it does.
 */
function recordLoss(deps: WorkerDeps, leased: LeasedJob, { wasStarted, type, message }: TrainerLoss): Promise<boolean> {
  return withLeasedJob(deps, leased, async (tx, job) => {
    await noteTrainerEnd(tx, job.id, job.attempt);
    if (wasStarted && job.state !== 'canceling') return true;
    await advance(tx, job, { type }, { message });
    return false;
  });
}

async function finish(deps: WorkerDeps, leased: LeasedJob): Promise<TrainingJob> {
  const job = await applyEvent(deps, leased, { type: 'trained' });
  if (job) return job;
  throw new AttemptFailure('internal_error', 'The trainer ended well without having started.');
}

/** Whether a trainer is gone without having failed: another start may go on from its checkpoints. */
function isLoss(outcome: TrainerOutcome): boolean {
  return outcome.kind === 'lost' || outcome.code === exitCodes.preempted || outcome.code === exitCodes.cancelled;
}

function lossOf(outcome: TrainerOutcome, isStuck: boolean): Pick<TrainerLoss, 'type' | 'message'> {
  if (outcome.kind === 'exited') return { type: 'lost', message: 'The trainer was interrupted.' };
  return { type: isStuck ? 'crashed' : 'lost', message: outcome.reason };
}

const codesByExit: Record<number, FailureCode> = {
  [exitCodes.badSpec]: 'dataset_invalid',
  [exitCodes.unsupported]: 'base_model_unavailable',
  [exitCodes.outOfMemory]: 'out_of_memory',
  [exitCodes.notFinite]: 'loss_diverged',
  [exitCodes.diskFull]: 'artifact_write_failed',
  [exitCodes.timeLimit]: 'time_limit',
  [exitCodes.exportFailed]: 'artifact_write_failed',
};

/** Why an attempt has failed: what its trainer reported, or else what its exit code means. */
function failureOf(outcome: TrainerOutcome, reported: TrainerFailure | null): AttemptFailure {
  const byExit = outcome.kind === 'exited' ? codesByExit[outcome.code] : undefined;
  const code = failureCodes.find((known) => known === reported?.code) ?? byExit ?? 'internal_error';
  const message = reported?.message ?? 'The trainer ended without saying why.';
  return new AttemptFailure(code, message, { hint: reported?.hint ?? null });
}
