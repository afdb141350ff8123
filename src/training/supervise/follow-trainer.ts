import type { TrainingJob } from '../jobs/job.ts';
import { exitCodes, type TrainerSpec } from '../runners/protocol.ts';
import { isEvent, type RunnerLine, type TrainerOutcome } from '../runners/runner.ts';
import type { TrainerFailure } from '../runners/trainer-events.ts';
import type { CheckpointUploads } from './checkpoints.ts';
import { type LeasedJob, retryWhileUnavailable, type WorkerDeps } from './lease.ts';
import { recordOutput } from './record-output.ts';

type TrainerEnd = {
  outcome: TrainerOutcome;
  failure: TrainerFailure | null;
  /** It was at work, and came no further than others before it. */
  isStuck: boolean;
};

type FollowedStart = { job: TrainingJob; spec: TrainerSpec; checkpoints: CheckpointUploads };

const canceledOutcome: TrainerOutcome = { kind: 'exited', code: exitCodes.cancelled };

export async function followTrainer(
  deps: WorkerDeps,
  leased: LeasedJob,
  { job, spec, checkpoints }: FollowedStart,
): Promise<TrainerEnd> {
  const { database, runner, log } = deps;
  const { lease, heartbeat, folder, signal, canceled } = leased;
  const ref = { jobId: job.id, attempt: job.attempt, restart: job.restart };
  let failure: TrainerFailure | null = null;
  let isStuck = false;
  const batches = new OutputBatches(deps.timing.batchMs, async (lines) => {
    await retryWhileUnavailable(heartbeat.signal, () => recordOutput(database, lease, lines));
    deps.onChange(job.id);
  });
  const cancel = () =>
    void runner.cancel(ref).catch((err) => log.warn({ err, job: job.id }, 'canceling a trainer failed'));
  const known = { afterSeq: Number(job.trainerSeq), afterLine: job.trainerLine };
  const lines = runner.run({ ...ref, specFolder: folder, spec, ...known }, signal);
  canceled.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const next = lines.next();
      // A cancellation needs a started trainer, and may have been requested before this one was.
      if (canceled.aborted) cancel();
      const line = await next;
      if (line.done) {
        await batches.flush();
        return { outcome: line.value, failure, isStuck };
      }
      await batches.add(line.value);
      if (!isEvent(line.value)) continue;
      if (line.value.event === 'started') isStuck = true;
      if (line.value.event === 'progress' && line.value.step > job.furthestStep) isStuck = false;
      if (line.value.event === 'failed') failure = line.value.error;
      if (line.value.event === 'checkpoint') checkpoints.upload(line.value.path);
    }
  } finally {
    batches.stop();
    canceled.removeEventListener('abort', cancel);
    await lines.return(canceledOutcome);
    await checkpoints.settled();
  }
}

/** These events are written at once: they change what others see or have to do. */
const urgent = new Set(['started', 'checkpoint', 'finished', 'cancelled', 'failed']);
const maxLines = 500;

/**
 * Gathers lines, so that a quick trainer does not cost a transaction per line; urgent ones are written at once. Batches are
 * written one after the other, in their order.
 */
export class OutputBatches {
  readonly #write: (lines: readonly RunnerLine[]) => Promise<void>;
  readonly #delayMs: number;
  #lines: RunnerLine[] = [];
  #writing: Promise<void> = Promise.resolve();
  #error: unknown = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number, write: (lines: readonly RunnerLine[]) => Promise<void>) {
    this.#delayMs = delayMs;
    this.#write = write;
  }

  /** Throws the error of an earlier batch. */
  async add(line: RunnerLine): Promise<void> {
    if (this.#error) throw this.#error;
    this.#lines.push(line);
    if ((isEvent(line) && urgent.has(line.event)) || this.#lines.length >= maxLines) return this.flush();
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), this.#delayMs).unref();
  }

  /** Writes nothing more by itself; what is not written yet is sent again to the next worker. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async flush(): Promise<void> {
    this.stop();
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0) this.#writing = this.#writing.then(() => (this.#error ? undefined : this.#write(lines)));
    try {
      await this.#writing;
    } catch (error) {
      this.#error ??= error;
      throw error;
    }
  }
}
