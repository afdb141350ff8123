import { advance } from '../jobs/advance.ts';
import { AttemptFailure } from '../jobs/failures.ts';
import type { TrainingJob } from '../jobs/job.ts';
import { type FailureCode, failureCodes } from '../jobs/lifecycle.ts';
import { exitCodes, type TrainerFailure, type TrainerSpec } from '../runners/protocol.ts';
import { isEvent, type Outcome } from '../runners/runner.ts';
import { continueCounting, hasMoved, layOutData, writeSpec } from './attempt-folder.ts';
import { createCheckpointKeeper } from './checkpoints.ts';
import { type Hold, step, type WorkerDeps } from './hold.ts';
import { Intake } from './intake.ts';
import { noteBegun, noteEnded } from './lease.store.ts';
import { patiently } from './patiently.ts';
import { specOf } from './spec.ts';
import { writeSnapshot } from './take-in.store.ts';
import { lockHeld, takeIn } from './take-in.ts';

/** Longest active time, in the longest that was estimated: whoever is stuck must not stay so for ever. */
const patienceFactor = 10;
const shortestLimitMs = 3_600_000;

/**
 * Runs trainers for a job until one is done: null when the job is over, or waits for a worker again. Throws
 * `AttemptFailure` when the attempt has failed.
 */
export function createTrainerRun(deps: WorkerDeps, hold: Hold): (job: TrainingJob) => Promise<TrainingJob | null> {
  const { database, objects, runner } = deps;
  const { held, folder, lease, signal, canceled } = hold;
  const checkpoints = createCheckpointKeeper(deps, hold);

  async function prepare(job: TrainingJob): Promise<TrainerSpec> {
    const either = AbortSignal.any([signal, canceled]);
    const base = await deps.weightsOf(job);
    const snapshot = await deps.makeSnapshot(job, either);
    either.throwIfAborted();
    if (job.snapshot?.sha256 !== snapshot.sha256) {
      await patiently(lease.signal, () =>
        database.transaction(async (tx) => {
          await lockHeld(tx, held);
          await writeSnapshot(tx, job.id, snapshot);
        }),
      );
    }
    await layOutData(objects, folder, snapshot);
    const resumeFrom = await checkpoints.resumePoint(job);
    const maxActiveMs = Math.max(shortestLimitMs, job.estimatedMs * patienceFactor);
    const { checkpointSeconds } = deps.timing;
    return specOf({ job, snapshot, base, resumeFrom, maxActiveMs, checkpointSeconds });
  }

  /** Follows one trainer to its end. */
  async function follow(job: TrainingJob, spec: TrainerSpec): Promise<Followed> {
    const ref = { jobId: job.id, attempt: job.attempt, restart: job.restart };
    let said: TrainerFailure | null = null;
    let isStuck = false;
    const intake = new Intake(deps.timing.gatherMs, async (lines) => {
      await patiently(lease.signal, () => takeIn(database, held, lines));
      deps.changed(job.id);
    });
    const cancel = () => void runner.cancel(ref).catch((err) => deps.log.warn({ err, job: job.id }, 'no cancellation'));
    const seen = { afterSeq: Number(job.trainerSeq), afterLine: job.trainerLine };
    const lines = runner.run({ ...ref, specFolder: folder, spec, ...seen }, signal);
    canceled.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        const next = lines.next();
        // Its start is what a cancellation needs, and that may have been asked for before it.
        if (canceled.aborted) cancel();
        const line = await next;
        if (line.done) {
          await intake.flush();
          return { outcome: line.value, said, isStuck };
        }
        await intake.add(line.value);
        if (!isEvent(line.value)) continue;
        if (line.value.event === 'started') isStuck = true;
        if (line.value.event === 'progress' && line.value.step > job.furthestStep) isStuck = false;
        if (line.value.event === 'failed') said = line.value.error;
        if (line.value.event === 'checkpoint') checkpoints.keep(line.value.path);
      }
    } finally {
      canceled.removeEventListener('abort', cancel);
      await lines.return(canceledOutcome);
      await checkpoints.kept();
    }
  }

  /** The trainer of this start has begun, or will. */
  function begin(): Promise<TrainingJob> {
    return patiently(lease.signal, () =>
      database.transaction(async (tx) => {
        const job = await lockHeld(tx, held);
        await noteBegun(tx, job.id, job.attempt);
        return job;
      }),
    );
  }

  /**
   * This trainer is gone; the next start is another one. Where it was there before this worker, whatever ended it has been counted,
   * or was no loss: the worker goes on at once.
   */
  function lose(wasBegun: boolean, type: 'lost' | 'crashed', message: string): Promise<boolean> {
    return patiently(lease.signal, () =>
      database.transaction(async (tx) => {
        const job = await lockHeld(tx, held);
        await noteEnded(tx, job.id, job.attempt);
        if (wasBegun && job.state !== 'canceling') return true;
        await advance(tx, job, { type }, { message });
        return false;
      }),
    );
  }

  return async (claimed) => {
    let job = claimed;
    for (;;) {
      const spec = await prepare(job);
      const told = { seq: Number(job.trainerSeq), activeMs: job.attemptMs + job.redoneMs };
      if (await hasMoved(folder, told)) {
        // What ran elsewhere cannot be attached to from here. Written down last: who dies before begins again.
        if (runner.name === 'local') await lose(true, 'lost', 'The trainer ran on another machine.');
        await continueCounting(folder, told);
      }
      await writeSpec(folder, spec);
      job = await begin();
      const wasBegun = job.begunRestart === job.restart;
      const { outcome, said, isStuck } = await follow(job, spec);
      if (outcome.kind === 'exited' && outcome.code === exitCodes.done) return finish();
      if (outcome.kind === 'exited' && outcome.code === exitCodes.cancelled && canceled.aborted) {
        return step(deps, hold, { type: 'stopped' }).then(() => null);
      }
      if (!isLoss(outcome)) throw failureOf(outcome, said);
      const goesOn =
        outcome.kind === 'lost'
          ? await lose(wasBegun, isStuck ? 'crashed' : 'lost', outcome.reason)
          : await lose(wasBegun, 'lost', 'The trainer was interrupted.');
      if (!goesOn) return null;
      job = { ...job, restart: job.restart + 1, trainerLine: 0 };
    }
  };

  async function finish(): Promise<TrainingJob> {
    const job = await step(deps, hold, { type: 'trained' });
    if (job) return job;
    throw new AttemptFailure('internal_error', 'The trainer ended well without having begun.');
  }
}

type Followed = {
  outcome: Outcome;
  said: TrainerFailure | null;
  /** It was at work, and came no further than others before it. */
  isStuck: boolean;
};

const canceledOutcome: Outcome = { kind: 'exited', code: exitCodes.cancelled };

function isLoss(outcome: Outcome): boolean {
  return outcome.kind === 'lost' || outcome.code === exitCodes.preempted || outcome.code === exitCodes.cancelled;
}

const codesByExit: Record<number, FailureCode> = {
  [exitCodes.badSpec]: 'dataset_invalid',
  [exitCodes.unsupported]: 'base_model_unavailable',
  [exitCodes.outOfMemory]: 'out_of_memory',
  [exitCodes.notFinite]: 'loss_diverged',
  [exitCodes.diskFull]: 'artifact_write_failed',
  [exitCodes.exportFailed]: 'artifact_write_failed',
};

function failureOf(outcome: Outcome, said: TrainerFailure | null): AttemptFailure {
  const byExit = outcome.kind === 'exited' ? codesByExit[outcome.code] : undefined;
  const code = failureCodes.find((known) => known === said?.code) ?? byExit ?? 'internal_error';
  const message = said?.message ?? 'The trainer ended without saying why.';
  return new AttemptFailure(code, message, { hint: said?.hint ?? null });
}
