import { classOf, endOfWord, other } from './ascii-words.ts';
import { longestInTable, WordTable } from './word-table.ts';

/** Longer words hardly come again; those in between are few. */
const longestKnown = 24;
const mostLong = 1 << 14;
/** Characters that added tokens may begin with. */
const mostBeginnings = 4;
const firstBytes = 1 << 16;
const maxBytesPerUnit = 3;
const hashFactor = 31;
const space = 0x20;
/** In an ASCII letter, the bit that makes it lower case. */
const lowerCase = 0x20;

/**
 * Whether added tokens can be found on the way: where none begins within another one, it does not matter which is looked
 * for first. Those that are not ASCII are never met.
 */
export function canFindOnTheWay(added: readonly string[]): boolean {
  const ascii = added.filter(isAscii);
  const beginnings = [...new Set(ascii.map((token) => token.charAt(0)))];
  return (
    beginnings.length <= mostBeginnings &&
    beginnings.every((character) => classOf(character.charCodeAt(0)) === other) &&
    !ascii.some((token) => beginnings.some((character) => token.includes(character, 1)))
  );
}

const isAscii = (text: string) => Buffer.byteLength(text) === text.length;

/**
 * Counts the tokens of ASCII text that is divided as Qwen2 does it, and remembers the counts of words. It works on bytes,
 * some at a time, and makes no string of any word that it knows.
 */
export class WordCounts {
  readonly #countAnew: (text: string) => number;
  /** By their first byte, the longest first. */
  readonly #added: [beginning: number, tokens: Uint8Array[]][];
  readonly #table = new WordTable();
  #text = Buffer.alloc(firstBytes);
  /** Words that have no room in the table. */
  readonly #long = new Map<string, number>();

  /** `added`: tokens that are found before a text is divided, the longest first (`canFindOnTheWay`). */
  constructor(countAnew: (text: string) => number, added: readonly string[]) {
    this.#countAnew = countAnew;
    const tokens = added.filter(isAscii).map((token) => Buffer.from(token));
    this.#added = [...Map.groupBy(tokens, (token) => token[0] ?? 0)];
  }

  /** Null: the text holds other characters. */
  count(text: string): number | null {
    const end = this.#write(text);
    if (end === null) return null;
    let count = 0;
    for (let at = 0; at < end; ) {
      const token = this.#nextAdded(at, end);
      const words = this.#countWords(at, token?.at ?? end);
      if (words === null) return null;
      count += words;
      if (token) count++;
      at = token?.end ?? end;
    }
    return count;
  }

  #nextAdded(from: number, textEnd: number): { at: number; end: number } | null {
    const bytes = this.#text;
    let next: { at: number; end: number } | null = null;
    for (const [beginning, tokens] of this.#added)
      for (let at = bytes.indexOf(beginning, from); at < (next?.at ?? textEnd); ) {
        const end = this.#endOfAdded(tokens, at, textEnd);
        if (end > 0) next = { at, end };
        at = bytes.indexOf(beginning, at + 1);
      }
    return next;
  }

  /** 0: no token begins there. */
  #endOfAdded(tokens: readonly Uint8Array[], at: number, textEnd: number): number {
    for (const token of tokens) {
      let same = 1;
      while (same < token.length && this.#text[at + same] === token[same]) same++;
      if (same === token.length && at + same <= textEnd) return at + same;
    }
    return 0;
  }

  /** Where its bytes end; null: they are not ASCII. */
  #write(text: string): number | null {
    const end = text.length;
    this.#makeRoom(end * maxBytesPerUnit + this.#added.length + 1);
    // A character that is not ASCII takes more bytes than the text has characters.
    if (this.#text.write(text) !== end) return null;
    // Nothing is looked for beyond this: neither letters nor added tokens.
    this.#text[end] = 0;
    for (const [index, [beginning]] of this.#added.entries()) this.#text[end + index] = beginning;
    return end;
  }

  #makeRoom(needed: number): void {
    if (needed > this.#text.length) this.#text = Buffer.alloc(Math.max(needed, this.#text.length * 2));
  }

  /** Null: some bytes are not known here. */
  #countWords(from: number, end: number): number | null {
    const text = this.#text;
    let count = 0;
    for (let at = from; at < end; ) {
      const letters = text[at] === space ? at + 1 : at;
      let hash = letters > at ? space : 0;
      let next = letters;
      for (; ; next++) {
        const byte = text[next] ?? 0;
        const lower = byte | lowerCase;
        if (lower < 0x61 || lower > 0x7a) break;
        hash = (Math.imul(hash, hashFactor) + byte) | 0;
      }
      if (next === letters) {
        next = endOfWord(text, at, end);
        if (next === 0) return null;
        hash = 0;
        for (let index = at; index < next; index++) hash = (Math.imul(hash, hashFactor) + (text[index] ?? 0)) | 0;
      }
      const known = next - at <= longestInTable ? this.#table.get(text, at, next, hash) : null;
      count += known ?? this.#countWord(at, next, hash);
      at = next;
    }
    return count;
  }

  /** Of a word that the table does not have. */
  #countWord(at: number, end: number, hash: number): number {
    const word = this.#text.toString('latin1', at, end);
    const count = this.#long.get(word) ?? this.#countAnew(word);
    if (Number.isNaN(count)) return count;
    if (end - at <= longestInTable) this.#table.set(this.#text, at, end, { hash, tokens: count });
    else if (end - at <= longestKnown) {
      if (this.#long.size >= mostLong) this.#long.clear();
      this.#long.set(word, count);
    }
    return count;
  }
}
