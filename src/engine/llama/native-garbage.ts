import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const mostBytes = 64 * 2 ** 20;
/** Of each character of a grammar, and of each time that something in it may be repeated: llama.cpp makes a rule of that. */
const bytesOfCharacter = 8;
const bytesOfTime = 80;
/** llama.cpp reads so much in some tens of milliseconds, once for a grammar and once for each state, in the thread that begins the steps. */
export const mostBytesOfGrammar = 8 * 2 ** 20;
/** llama.cpp drops bounds above this. */
const mostTimes = 2000;

/**
 * Objects of the addon that cannot be disposed of give their memory back only when V8 collects them. V8 sees a few bytes of each
 * and may let hundreds of MB wait; so what they keep is counted here, and too much of it brings a collection on.
 */
export class NativeGarbage {
  readonly #collect: () => void;
  #bytes = 0;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** An object was made that keeps about so much. */
  made(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes < mostBytes) return;
    this.#bytes = 0;
    this.#collect();
  }
}

/** What llama.cpp keeps of a grammar that it has read, about. */
export function bytesOfGrammar(gbnf: string): number {
  let times = 0;
  for (const [, least = '', most = ''] of gbnf.matchAll(/\{(\d+)(?:,(\d*))?\}/g))
    times += Math.min(Math.max(Number(least), Number(most)), mostTimes);
  return gbnf.length * bytesOfCharacter + times * bytesOfTime;
}

/** Frees what no one has any more: some milliseconds. V8 shows the function that does it only to those who ask by this flag. */
export function createCollector(): () => void {
  let collect: (() => void) | null = null;
  return () => {
    if (collect === null) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  };
}
