import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { followFile, OutputReader } from './output-reader.ts';
import { type RayClient, type RayJob, type RaySubmission, RayUnreachable } from './ray-client.ts';
import { isEvent, type RunnerLine, type TrainerStart } from './runner.ts';
import type { SharedAttempt } from './shared-folder.ts';
import type { StartFolder } from './start-folder.ts';

/** Ray is asked again this soon, and less and less often. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;
const pollMs = 1_000;

type RayJobParts = { folder: StartFolder; shared: SharedAttempt; unreachableMs: number };

/** A start of an attempt as a job of Ray. The name of the submission makes sure that there is one at most. */
export class RayJobRun {
  readonly id: string;
  readonly #client: RayClient;
  readonly #parts: RayJobParts;

  constructor(client: RayClient, id: string, parts: RayJobParts) {
    this.id = id;
    this.#client = client;
    this.#parts = parts;
  }

  find(signal: AbortSignal): Promise<RayJob | null> {
    return this.retryWhileUnreachable(() => this.#client.find(this.id), signal);
  }

  /** Whether Ray has accepted it at some time, as far as it is known here. */
  async wasSubmitted(): Promise<boolean> {
    return (await this.#marked()) !== '';
  }

  async submit(submission: Omit<RaySubmission, 'submission_id'>, signal: AbortSignal): Promise<void> {
    await this.retryWhileUnreachable(() => this.#client.submit({ ...submission, submission_id: this.id }), signal);
    await writeFile(this.#marker, 'submitted');
  }

  /** What it wrote is in the attempt's folder on this machine. */
  async noteBrought(): Promise<void> {
    await writeFile(this.#marker, 'brought');
  }

  async wasBrought(): Promise<boolean> {
    return (await this.#marked()) === 'brought';
  }

  stop(signal: AbortSignal): Promise<void> {
    return this.retryWhileUnreachable(() => this.#client.stop(this.id), signal);
  }

  /**
   * Lines that the trainer writes into the shared folder until its job ends; returns how it ended, null: Ray does not know it.
   * Files that an event names are on this machine before the event is given.
   */
  async *follow(
    run: TrainerStart,
    { signal, pendingMs, silenceMs }: { signal: AbortSignal; pendingMs: number; silenceMs: number },
  ): AsyncGenerator<RunnerLine, RayJob | null> {
    const { shared, folder } = this.#parts;
    const reader = new OutputReader(run);
    const pendingUntil = performance.now() + pendingMs;
    let ended: RayJob | null = null;
    let lastOutputMs = performance.now();
    let stopReason: string | null = null;
    const stopFor = async (reason: string) => {
      stopReason ??= reason;
      await this.stop(signal);
    };
    const hasEnded = async () => {
      ended = await this.find(signal);
      const nowMs = performance.now();
      if (ended?.status === 'PENDING') {
        lastOutputMs = nowMs;
        if (nowMs < pendingUntil) return false;
        const minutes = Math.round(pendingMs / 60_000);
        await stopFor(`The Ray cluster found no capacity for attempt ${run.attempt} in ${minutes} minutes.`);
        return true;
      }
      if (ended?.status !== 'RUNNING') return true;
      if (stopReason === null && nowMs - lastOutputMs > silenceMs)
        await stopFor('The trainer said nothing for too long.');
      return false;
    };
    // Where another server has brought it home meanwhile, it is read from there.
    const paths = [shared.outputPath, folder.outputPath];
    for await (const bytes of followFile(paths, { hasEnded, pause: () => pause(pollMs, signal) })) {
      lastOutputMs = performance.now();
      for (const line of reader.push(bytes)) {
        if (isEvent(line) && (line.event === 'checkpoint' || line.event === 'artifact')) await shared.bring(line.path);
        yield line;
      }
    }
    yield* reader.end();
    return stopReason === null ? ended : { status: 'FAILED', message: stopReason, exitCode: null };
  }

  /** Calls again while Ray cannot be reached, up to a bound. */
  async retryWhileUnreachable<Result>(call: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const deadline = performance.now() + this.#parts.unreachableMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        if (!(error instanceof RayUnreachable) || performance.now() > deadline) throw error;
      }
      await pause(pauseMs, signal);
    }
  }

  #marked(): Promise<string> {
    return readFile(this.#marker, 'utf8').catch(() => '');
  }

  get #marker(): string {
    return join(this.#parts.folder.path, 'ray');
  }
}

/** Waits so long, or throws the reason of a signal that is aborted meanwhile. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
