import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SearchTerm } from '../content/search-words.ts';
import type { WordPage } from './word-block.ts';

/** To the thread: examples that are to come into the block, or to be looked through, a line each; or the end of the block. */
export type ToThread = { lines: string } | { lines: string; terms: readonly SearchTerm[] } | { end: true };
/** From it: it has taken in the lines, or found these of them, or the block. */
export type FromThread = { isFull: boolean } | { places: number[] } | { pages: WordPage[] };

const program = new URL('./block-thread.ts', import.meta.url);

/**
 * Divides examples into words in a thread of its own, to make blocks or to look for words where there is no block yet: a
 * million examples take half a minute, and others wait for nothing.
 */
export class BlockMaker {
  readonly #thread = new Worker(program);

  /** Takes in the next examples; true: the block is full. */
  async add(lines: string): Promise<boolean> {
    const answer = await this.#ask({ lines });
    return 'isFull' in answer && answer.isFull;
  }

  /** Which of the examples have all terms, by their lines. */
  async find(lines: string, terms: readonly SearchTerm[]): Promise<number[]> {
    const answer = await this.#ask({ lines, terms });
    return 'places' in answer ? answer.places : [];
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

  /** A process may end while this one has nothing to do. */
  set isIdle(isIdle: boolean) {
    if (isIdle) this.#thread.unref();
    else this.#thread.ref();
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }

  async #ask(message: ToThread): Promise<FromThread> {
    this.#thread.postMessage(message);
    // An error of the thread rejects here.
    const [answer] = await once(this.#thread, 'message');
    // as: the thread sends nothing else.
    return answer as FromThread;
  }
}
