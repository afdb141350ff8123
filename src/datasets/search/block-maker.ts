import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { WordPage } from './word-block.ts';

/** To the thread: lines of words, one for each example, or the end of the block. */
export type ToMaker = { lines: string } | { end: true };
/** From it: it has taken in the lines, or the block. */
export type FromMaker = { isFull: boolean } | { pages: WordPage[] };

const program = new URL('./block-thread.ts', import.meta.url);

/** Makes blocks in a thread of its own: dividing the words of a million examples takes half a minute, and others wait for nothing. */
export class BlockMaker {
  readonly #thread = new Worker(program);

  /** Takes in the words of the next examples; true: the block is full. */
  async add(lines: string): Promise<boolean> {
    const answer = await this.#ask({ lines });
    return 'isFull' in answer && answer.isFull;
  }

  /** The block of what was added; the next one begins. */
  async end(): Promise<WordPage[]> {
    const answer = await this.#ask({ end: true });
    // What comes from a thread is a plain array of bytes.
    return 'pages' in answer
      ? answer.pages.map(({ word, entries }) => ({
          word,
          entries: Buffer.from(entries.buffer, entries.byteOffset, entries.length),
        }))
      : [];
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(message: ToMaker): Promise<FromMaker> {
    this.#thread.postMessage(message);
    // An error of the thread rejects here.
    const [answer] = await once(this.#thread, 'message');
    // as: the thread sends nothing else.
    return answer as FromMaker;
  }
}
