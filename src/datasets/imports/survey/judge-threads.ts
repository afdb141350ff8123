import { SHARE_ENV, Worker } from 'node:worker_threads';
import { itemCounterModule } from '#engine';
import type { LineBlock } from '../reading/line-blocks.ts';
import type { CountTexts, Yardstick } from './block-judge.ts';
import type { FromJudge, JudgeStart, ToJudge } from './judge-protocol.ts';
import type { Judged } from './judged.ts';
import type { RowBlock } from './row-block.ts';

const program = new URL('./judge-thread.ts', import.meta.url);
/** Rows go as they come, so that a thread keeps little but the counts of words. */
const resourceLimits = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 24 };
/**
 * After this time a thread counts as stuck: a block takes milliseconds, and counting tokens has time limits of its
 * own.
 */
const patienceMs = 180_000;

type Options = { threads: number; countTexts: CountTexts };
type Answer = { block: RowBlock; judged: Judged };
type Waiting = { thread: number; block: LineBlock; answer: PromiseWithResolvers<Answer>; timer: NodeJS.Timeout };

/** Threads that judge blocks at once. They end with this one, and when the survey does. */
export class JudgeThreads {
  readonly #countTexts: CountTexts;
  readonly #threads: Worker[];
  /** Blocks that each of them has. */
  readonly #busy: number[];
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  #broken: Error | null = null;

  constructor(yardstick: Yardstick, { threads, countTexts }: Options) {
    this.#countTexts = countTexts;
    const start: JudgeStart = { yardstick, itemCounter: itemCounterModule };
    this.#threads = Array.from({ length: threads }, (_, index) => this.#start(index, start));
    this.#busy = this.#threads.map(() => 0);
  }

  judge({ buffer, bytes, byteOffset, isCut }: LineBlock, memory: ArrayBuffer): Promise<Answer> {
    if (this.#broken) return Promise.reject(this.#broken);
    const id = ++this.#lastId;
    const thread = this.#busy.indexOf(Math.min(...this.#busy));
    const answer = Promise.withResolvers<Answer>();
    const timer = setTimeout(() => this.#break(new Error('A thread that judges rows is stuck.')), patienceMs);
    this.#waiting.set(id, { thread, block: { buffer, bytes, byteOffset, isCut }, answer, timer });
    this.#busy[thread] = (this.#busy[thread] ?? 0) + 1;
    const text = buffer.buffer;
    this.#say(thread, { type: 'block', id, text, bytes, isCut, memory }, [text, memory]);
    return answer.promise;
  }

  async close(): Promise<void> {
    this.#break(new Error('The survey is over.'));
    await Promise.all(this.#threads.map((thread) => thread.terminate()));
  }

  #start(index: number, workerData: JudgeStart): Worker {
    // The environment says where compiled modules lie: without them a thread takes three times as long to begin.
    const thread = new Worker(program, { workerData, resourceLimits, env: SHARE_ENV });
    thread.on('message', (message: FromJudge) => this.#hear(index, message));
    thread.on('error', (error) => this.#break(error));
    thread.on('exit', () => this.#break(new Error('A thread that judges rows has ended.')));
    return thread;
  }

  #say(thread: number, message: ToJudge, memory: ArrayBuffer[] = []): void {
    this.#threads[thread]?.postMessage(message, memory);
  }

  #hear(thread: number, message: FromJudge): void {
    if (message.type === 'ask') void this.#count(thread, message);
    else if (message.type === 'failed') this.#break(new Error(message.message));
    else this.#takeVerdict(message);
  }

  #takeVerdict({ id, text, judged: { memory, exampleBytes, ...judged } }: FromJudge & { type: 'judged' }): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    this.#busy[waiting.thread] = (this.#busy[waiting.thread] ?? 0) - 1;
    const block = { ...waiting.block, buffer: Buffer.from(text) };
    const examples = Buffer.from(memory, 0, exampleBytes);
    waiting.answer.resolve({ block: { type: 'lines', block }, judged: { ...judged, examples } });
  }

  async #count(thread: number, { id, texts }: FromJudge & { type: 'ask' }): Promise<void> {
    try {
      this.#say(thread, { type: 'counted', id, counts: await this.#countTexts(texts) });
    } catch (error) {
      // The words for it are those of whoever could not count.
      this.#break(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Fails all blocks: none can be judged any more. */
  #break(error: Error): void {
    this.#broken ??= error;
    for (const { answer, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      answer.reject(this.#broken);
    }
    this.#waiting.clear();
  }
}
