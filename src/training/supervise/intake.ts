import type { RunnerLine } from '../runners/runner.ts';
import { isEvent } from '../runners/runner.ts';

/** These events are written at once: they change what others see or have to do. */
const urgent = new Set(['started', 'checkpoint', 'finished', 'cancelled', 'failed']);
const mostLines = 500;

/**
 * Gathers lines for a moment, so that a quick trainer does not cost a transaction per line; what is urgent goes at once.
 * Batches are written one after the other, in their order.
 */
export class Intake {
  readonly #write: (lines: readonly RunnerLine[]) => Promise<void>;
  readonly #pauseMs: number;
  #lines: RunnerLine[] = [];
  #writing: Promise<void> = Promise.resolve();
  #error: unknown = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(pauseMs: number, write: (lines: readonly RunnerLine[]) => Promise<void>) {
    this.#pauseMs = pauseMs;
    this.#write = write;
  }

  /** Throws what an earlier batch met. */
  async add(line: RunnerLine): Promise<void> {
    if (this.#error) throw this.#error;
    this.#lines.push(line);
    if ((isEvent(line) && urgent.has(line.event)) || this.#lines.length >= mostLines) return this.flush();
    this.#timer ??= setTimeout(() => void this.flush().catch(() => {}), this.#pauseMs).unref();
  }

  /** Writes nothing more by itself; what is not written yet is said again to the next worker. */
  stop(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async flush(): Promise<void> {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
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
