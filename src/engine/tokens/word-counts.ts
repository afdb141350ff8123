import { classOf, endOfWord, other } from './ascii-words.ts';
import { longestInTable, WordTable } from './word-table.ts';

/** Longer words hardly come again; those in between are few. */
const longestKnown = 24;
const mostLong = 1 << 14;
/** Characters that added tokens may begin with. */
const mostBeginnings = 4;
/** A look at a text takes so many bytes, which must be there behind its end. */
const lookBytes = 64;

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
  readonly #table = new WordTable({
    endOf: (at, end) => endOfWord(this.#table.bytes, at, end),
    countAnew: (at, end) => this.#countWord(at, end),
  });
  /** Words that have no room in the table. */
  readonly #long = new Map<string, number>();

  /** `added`: tokens that are found before a text is divided, the longest first (`canFindOnTheWay`). */
  constructor(countAnew: (text: string) => number, added: readonly string[]) {
    this.#countAnew = countAnew;
    const tokens = added.filter(isAscii).map((token) => Buffer.from(token));
    this.#added = [...Map.groupBy(tokens, (token) => token[0] ?? 0)];
  }

  /** Tokens of texts that stand one behind the other. Null: they hold other characters. */
  count(texts: readonly string[]): number | null {
    const end = this.#write(texts);
    if (end === null) return null;
    let count = 0;
    for (let at = this.#table.textAt; at < end; ) {
      const token = this.#nextAdded(at, end);
      const words = this.#table.count(at, token?.at ?? end);
      if (words < 0) return null;
      count += words;
      if (token) count++;
      at = token?.end ?? end;
    }
    return count;
  }

  #nextAdded(from: number, textEnd: number): { at: number; end: number } | null {
    const { bytes } = this.#table;
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
      while (same < token.length && this.#table.bytes[at + same] === token[same]) same++;
      if (same === token.length && at + same <= textEnd) return at + same;
    }
    return 0;
  }

  /** Where their bytes end; null: they are not ASCII. */
  #write(texts: readonly string[]): number | null {
    const table = this.#table;
    let end = table.textAt;
    for (const text of texts) {
      if (text === '') continue;
      // Most texts need not be measured: a unit of a text takes at most three bytes.
      if (end + text.length * 3 + lookBytes > table.bytes.length)
        table.makeRoom(end, Buffer.byteLength(text) + lookBytes);
      // A character that is not ASCII takes more bytes than the text has characters.
      if (table.bytes.write(text, end) !== text.length) return null;
      end += text.length;
    }
    // Nothing is looked for beyond this: neither letters nor added tokens.
    table.bytes[end] = 0;
    for (const [index, [beginning]] of this.#added.entries()) table.bytes[end + index] = beginning;
    return end;
  }

  /** Of a word that the table does not have. */
  #countWord(at: number, end: number): number {
    const word = this.#table.bytes.toString('latin1', at, end);
    const count = this.#long.get(word) ?? this.#countAnew(word);
    if (Number.isNaN(count)) return count;
    if (end - at <= longestInTable) this.#table.add(at, end, count);
    else if (end - at <= longestKnown) {
      if (this.#long.size >= mostLong) this.#long.clear();
      this.#long.set(word, count);
    }
    return count;
  }
}
