import { OutputReader } from './output-reader.ts';
import { pause } from './pause.ts';
import { openTail, type RayClient, type RayJob } from './ray-client.ts';
import type { RayJobRun } from './ray-job.ts';
import { isEvent, type Run, type RunnerLine } from './runner.ts';
import type { SharedAttempt } from './shared-folder.ts';

/** How often a job that says nothing is looked at, at the least. */
const lookMs = 5_000;
/** What Ray itself writes into the output of a job. */
const ofRay = /^Running entrypoint for job |\sINFO job_manager\.py:\d+ /;

type Parts = {
  client: RayClient;
  job: RayJobRun;
  shared: SharedAttempt;
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
    const { job, shared, signal } = this.#parts;
    const reader = this.#reader();
    yield* this.#told(reader.push((await job.logs(signal)) ?? (await shared.events())));
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
        if (line.event === 'checkpoint' || line.event === 'artifact') await this.#parts.shared.bring(line.path);
      } else {
        this.#line = line.line;
        if (ofRay.test(line.text)) continue;
      }
      yield line;
    }
  }
}

const pollMs = 1_000;
const slowPollMs = 5_000;
/** From the end of the output to the end of the job. */
const restMs = 100;

type Following = {
  attempt: number;
  job: RayJobRun;
  output: RayOutput;
  signal: AbortSignal;
  /** Time in which Ray must find room for the attempt, ms. */
  pendingMs: number;
};

/** Tells what a job says until it ends; returns how, or null when Ray does not know it. */
export async function* followRayJob(following: Following): AsyncGenerator<RunnerLine, RayJob | null> {
  const { job, output, signal } = following;
  const deadline = performance.now() + following.pendingMs;
  for (let inVain = 0; ; ) {
    const found = await job.find(signal);
    if (found === null) return null;
    if (found.status === 'PENDING') {
      if (performance.now() > deadline) return giveUp(following);
      output.noteWaiting();
      await pause(pollMs, signal);
    } else if (found.status === 'RUNNING') {
      inVain = (yield* output.tail()) ? 0 : inVain + 1;
      await output.stopSilent();
      // Not every way to Ray lets WebSockets through.
      if (inVain > 0) yield* output.whole();
      await pause(Math.min(inVain * pollMs, slowPollMs) || restMs, signal);
    } else {
      yield* output.whole({ isLast: true });
      return output.isStopped
        ? { ...found, status: 'FAILED', message: 'The trainer said nothing for too long.' }
        : found;
    }
  }
}

async function giveUp({ attempt, job, signal, pendingMs }: Following): Promise<RayJob> {
  await job.stop(signal);
  const minutes = Math.round(pendingMs / 60_000);
  const message = `The Ray cluster found no room for attempt ${attempt} in ${minutes} minutes.`;
  return { status: 'FAILED', message, exitCode: null };
}
