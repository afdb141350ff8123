import type { TrainingJob } from '../jobs/job.ts';
import { exitCodes, type TrainerFailure, type TrainerSpec } from '../runners/protocol.ts';
import { isEvent, type Outcome } from '../runners/runner.ts';
import type { CheckpointKeeper } from './checkpoints.ts';
import type { Hold, WorkerDeps } from './hold.ts';
import { Intake } from './intake.ts';
import { patiently } from './patiently.ts';
import { takeIn } from './take-in.ts';

export type Followed = {
  outcome: Outcome;
  /** What the trainer said of its failure. */
  said: TrainerFailure | null;
  /** It was at work, and came no further than others before it. */
  isStuck: boolean;
};

type Start = { job: TrainingJob; spec: TrainerSpec; checkpoints: CheckpointKeeper };

const canceledOutcome: Outcome = { kind: 'exited', code: exitCodes.cancelled };

/** Follows one trainer to its end. */
export async function followTrainer(
  deps: WorkerDeps,
  hold: Hold,
  { job, spec, checkpoints }: Start,
): Promise<Followed> {
  const { database, runner, log } = deps;
  const { held, folder, lease, signal, canceled } = hold;
  const ref = { jobId: job.id, attempt: job.attempt, restart: job.restart };
  let said: TrainerFailure | null = null;
  let isStuck = false;
  const intake = new Intake(deps.timing.gatherMs, async (lines) => {
    await patiently(lease.signal, () => takeIn(database, held, lines));
    deps.changed(job.id);
  });
  const cancel = () => void runner.cancel(ref).catch((err) => log.warn({ err, job: job.id }, 'no cancellation'));
  const seen = { afterSeq: Number(job.trainerSeq), afterLine: job.trainerLine };
  const lines = runner.run({ ...ref, specFolder: folder, spec, ...seen }, signal);
  canceled.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const next = lines.next();
      // A cancellation needs a started trainer, and may have been asked for before this one was.
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
    intake.stop();
    canceled.removeEventListener('abort', cancel);
    await lines.return(canceledOutcome);
    await checkpoints.kept();
  }
}
