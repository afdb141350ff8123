import { blank, classes, classOf, endOfWord, letter, other } from './ascii-words.ts';
import { longestInTable, WordTable } from './word-table.ts';

/** Longer words hardly come again; those in between are few. */
const longestKnown = 24;
const mostLong = 1 << 14;
/** Characters that added tokens may begin with. */
const mostBeginnings = 4;
/** A look at a text takes so many bytes, which must be there. */
const stepBytes = 32;

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
  /** Words that have no room in the table. */
  readonly #long = new Map<string, number>();
  #text = roomFor(1 << 16);

  /** `added`: tokens that are found before a text is divided, the longest first (`canFindOnTheWay`). */
  constructor(countAnew: (text: string) => number, added: readonly string[]) {
    this.#countAnew = countAnew;
    const tokens = added.filter(isAscii).map((token) => Buffer.from(token));
    this.#added = [...Map.groupBy(tokens, (token) => token[0] ?? 0)];
  }

  /** Tokens of texts that stand one behind the other. Null: they hold other characters. */
  count(texts: readonly string[]): number | null {
    const length = this.#write(texts);
    if (length === null) return null;
    let count = 0;
    for (let at = 0; at < length; ) {
      const token = this.#nextAdded(at, length);
      const words = this.#countWords(at, token?.at ?? length);
      if (words === null) return null;
      count += words;
      if (token) count++;
      at = token?.end ?? length;
    }
    return count;
  }

  #nextAdded(from: number, length: number): { at: number; end: number } | null {
    let next: { at: number; end: number } | null = null;
    for (const [beginning, tokens] of this.#added)
      for (let at = this.#text.bytes.indexOf(beginning, from); at < (next?.at ?? length); ) {
        const end = this.#endOfAdded(tokens, at, length);
        if (end > 0) next = { at, end };
        at = this.#text.bytes.indexOf(beginning, at + 1);
      }
    return next;
  }

  /** 0: no token begins there. */
  #endOfAdded(tokens: readonly Uint8Array[], at: number, length: number): number {
    for (const token of tokens) {
      let same = 1;
      while (same < token.length && this.#text.bytes[at + same] === token[same]) same++;
      if (same === token.length && at + same <= length) return at + same;
    }
    return 0;
  }

  /** Of a stretch of the text. Null: it holds other characters. */
  #countWords(from: number, length: number): number | null {
    const { bytes, view, stops } = this.#text;
    const table = this.#table;
    let count = 0;
    let step = from >> 5;
    let ahead = (stops[step] ?? 0) & (-1 << (from & 31));
    for (let at = from; at < length; ) {
      const kind = classes[bytes[at] ?? 0];
      // Most words are letters, with a blank in front or not.
      if (kind === blank) ahead &= ahead - 1;
      while (ahead === 0) ahead = stops[++step] ?? -1;
      let end = (step << 5) + 31 - Math.clz32(ahead & -ahead);
      if (kind !== letter && (kind !== blank || end === at + 1)) {
        end = endOfWord(bytes, at, length);
        if (end === 0) return null;
        step = end >> 5;
        ahead = (stops[step] ?? 0) & (-1 << (end & 31));
      }
      const known = table.find(view, at, end);
      count += known >= 0 ? known : this.#countWord(at, end);
      at = end;
    }
    return count;
  }

  /** Their bytes; null: they are not ASCII. */
  #write(texts: readonly string[]): number | null {
    let length = 0;
    for (const text of texts) {
      if (text === '') continue;
      // Most texts need not be measured: a unit of a text takes at most three bytes.
      if (length + text.length * 3 > this.#text.room) this.#makeRoom(length, Buffer.byteLength(text));
      // A character that is not ASCII takes more bytes than the text has characters.
      if (this.#text.bytes.write(text, length) !== text.length) return null;
      length += text.length;
    }
    const { bytes, view } = this.#text;
    // Nothing is looked for beyond this: neither letters nor added tokens.
    for (let at = length; at < length + stepBytes; at += 8) view.setFloat64(at, 0);
    for (const [index, [beginning]] of this.#added.entries()) bytes[length + index] = beginning;
    markStops(this.#text, length);
    return length;
  }

  #makeRoom(used: number, needed: number): void {
    if (used + needed <= this.#text.room) return;
    const larger = roomFor(Math.max(used + needed, this.#text.room * 2));
    this.#text.bytes.copy(larger.bytes, 0, 0, used);
    this.#text = larger;
  }

  /** Of a word that the table does not have. */
  #countWord(at: number, end: number): number {
    const word = this.#text.bytes.toString('latin1', at, end);
    const count = this.#long.get(word) ?? this.#countAnew(word);
    if (Number.isNaN(count)) return count;
    if (end - at <= longestInTable) this.#table.add(this.#text.view, at, end, count);
    else if (end - at <= longestKnown) {
      if (this.#long.size >= mostLong) this.#long.clear();
      this.#long.set(word, count);
    }
    return count;
  }
}

type TextRoom = {
  /** Bytes that a text may take. */
  room: number;
  bytes: Buffer;
  view: DataView;
  lanes: Int32Array;
  /** A bit for each byte, which says that it is no letter. */
  stops: Int32Array;
};

function roomFor(wanted: number): TextRoom {
  const room = Math.ceil(wanted / stepBytes) * stepBytes;
  const memory = new ArrayBuffer(room + 2 * stepBytes);
  return {
    room,
    ...{ bytes: Buffer.from(memory), view: new DataView(memory), lanes: new Int32Array(memory) },
    stops: new Int32Array(memory.byteLength / stepBytes),
  };
}

/** All letters of a text are found at once, without a branch, as branches are what takes time: words have any length. */
function markStops({ lanes, stops }: TextRoom, length: number): void {
  const last = length >> 5;
  for (let step = 0, lane = 0; step <= last; step++, lane += 8)
    stops[step] =
      stopsIn(lanes[lane] ?? 0) |
      (stopsIn(lanes[lane + 1] ?? 0) << 4) |
      (stopsIn(lanes[lane + 2] ?? 0) << 8) |
      (stopsIn(lanes[lane + 3] ?? 0) << 12) |
      (stopsIn(lanes[lane + 4] ?? 0) << 16) |
      (stopsIn(lanes[lane + 5] ?? 0) << 20) |
      (stopsIn(lanes[lane + 6] ?? 0) << 24) |
      (stopsIn(lanes[lane + 7] ?? 0) << 28);
}

const highBits = 0x80808080 | 0;

/** Of four bytes those that are no letters. They are ASCII, so that no sum reaches into the next one. */
function stopsIn(lane: number): number {
  const small = lane | 0x20202020;
  const marks = (~(small + 0x1f1f1f1f) | (small + 0x05050505)) & highBits;
  // Puts the highest bits of the bytes side by side.
  return Math.imul(marks, 0x204081) >>> 28;
}
