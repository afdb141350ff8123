import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pause } from './pause.ts';
import { type RayClient, type RayJob, type RaySubmission, RayUnreachable } from './ray-client.ts';
import type { StartFolder } from './start-folder.ts';

/** Ray is asked again this soon, and less and less often. */
const firstPauseMs = 250;
const longestPauseMs = 5_000;

/** A start of an attempt as a job of Ray. The name of the submission makes sure that there is one at most. */
export class RayJobRun {
  readonly id: string;
  readonly #client: RayClient;
  readonly #folder: StartFolder;
  readonly #unreachableMs: number;

  constructor(
    client: RayClient,
    id: string,
    { folder, unreachableMs }: { folder: StartFolder; unreachableMs: number },
  ) {
    this.id = id;
    this.#client = client;
    this.#folder = folder;
    this.#unreachableMs = unreachableMs;
  }

  find(signal: AbortSignal): Promise<RayJob | null> {
    return this.retryWhileUnreachable(() => this.#client.find(this.id), signal);
  }

  /** Whether Ray has taken it in at some time, as far as it is known here. */
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

  logs(signal: AbortSignal): Promise<Buffer | null> {
    return this.retryWhileUnreachable(() => this.#client.logs(this.id), signal);
  }

  /** Asks again while Ray cannot be reached, up to a bound. */
  async retryWhileUnreachable<Result>(ask: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const deadline = performance.now() + this.#unreachableMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      signal.throwIfAborted();
      try {
        return await ask();
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
    return join(this.#folder.path, 'ray');
  }
}
