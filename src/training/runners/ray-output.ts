import { OutputReader } from './output-reader.ts';
import { pause } from './pause.ts';
import type { RayClient } from './ray-client.ts';
import type { RayJobRun } from './ray-job.ts';
import { openTail } from './ray-tail.ts';
import { isEvent, type Run, type RunnerLine } from './runner.ts';
import type { SharedPlace } from './shared-place.ts';

/** How often a job that says nothing is looked at, at the least. */
const lookMs = 5_000;
/** What Ray itself writes into the output of a job. */
const ofRay = /^Running entrypoint for job |\sINFO job_manager\.py:\d+ /;

type Parts = {
  client: RayClient;
  job: RayJobRun;
  place: SharedPlace;
  signal: AbortSignal;
  /** Longest time without a word, ms. */
  silenceMs: number;
};

/** What a job prints, each line once. Files that an event tells of are here before it is told. */
export class RayOutput {
  readonly #parts: Parts;
  #seq: number;
  #line: number;
  #heardMs = performance.now();
  #isStopped = false;

  constructor(parts: Parts, { afterSeq, afterLine = 0 }: Pick<Run, 'afterSeq' | 'afterLine'>) {
    this.#parts = parts;
    this.#seq = afterSeq;
    this.#line = afterLine;
  }

  /** Whether the job was stopped because it said nothing for too long. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Lines while Ray tells what the job prints; returns whether there was a new one. */
  async *tail(): AsyncGenerator<RunnerLine, boolean> {
    const { client, job, signal, silenceMs } = this.#parts;
    const [seq, line] = [this.#seq, this.#line];
    const isNew = () => this.#seq > seq || this.#line > line;
    const reader = this.#reader();
    const open = await openTail(client, job.id);
    try {
      let next = open.next();
      for (;;) {
        const tick = pause(Math.min(lookMs, silenceMs), signal).then(() => 'silence' as const);
        const piece = await Promise.race([next, tick]);
        if (piece === null) return isNew();
        if (piece === 'silence') {
          await this.stopSilent();
          if ((await job.find(signal))?.status !== 'RUNNING') return isNew();
          continue;
        }
        yield* this.#told(reader.push(piece));
        next = open.next();
      }
    } finally {
      open.close();
    }
  }

  /** All that the job has printed so far, as far as it is not known. */
  async *whole({ isLast = false } = {}): AsyncGenerator<RunnerLine> {
    const { job, place, signal } = this.#parts;
    const reader = this.#reader();
    yield* this.#told(reader.push((await job.logs(signal)) ?? (await place.events())));
    if (isLast) yield* this.#told(reader.end());
  }

  /** A job that waits has nothing to say, and is not silent. */
  noteWaiting(): void {
    this.#heardMs = performance.now();
  }

  /** Stops a job that says nothing any more: it would hang for ever. */
  async stopSilent(): Promise<void> {
    const { job, signal, silenceMs } = this.#parts;
    if (this.#isStopped || performance.now() - this.#heardMs < silenceMs) return;
    this.#isStopped = true;
    await job.stop(signal);
  }

  #reader(): OutputReader {
    return new OutputReader({ afterSeq: this.#seq, afterLine: this.#line });
  }

  async *#told(lines: readonly RunnerLine[]): AsyncGenerator<RunnerLine> {
    for (const line of lines) {
      this.#heardMs = performance.now();
      if (isEvent(line)) {
        this.#seq = line.seq;
        if (line.event === 'checkpoint' || line.event === 'artifact') await this.#parts.place.bring(line.path);
      } else {
        this.#line = line.line;
        if (ofRay.test(line.text)) continue;
      }
      yield line;
    }
  }
}
