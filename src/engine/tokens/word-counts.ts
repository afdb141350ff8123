import { blank, classes, classOf, endOfWord, letter, other } from './ascii-words.ts';

/** Longer words hardly come again. */
const longestKnown = 24;
const mostKnown = 1 << 16;
const firstSlots = 1 << 12;
/** Four bytes each: a word is looked at so many bytes at a time, and those behind its end count as 0. */
const laneBytes = 4;
/** Characters that added tokens may begin with. */
const mostBeginnings = 4;
/** What stands behind a text. */
const endBytes = laneBytes + mostBeginnings;
const arenaLanes = mostKnown * 3;
/** A slot says where its word begins, in the upper bits, then how long it is and how many tokens it has. */
const fieldBits = 5;
const fieldMask = (1 << fieldBits) - 1;

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
  #bytes = Buffer.alloc(1 << 16);
  #view = viewOf(this.#bytes);
  /** Of each slot the hash of its word, and where that is; 0: it is free. Side by side, as memory is what takes time. */
  #slots = new Int32Array(firstSlots * 2);
  readonly #arena = new Int32Array(arenaLanes);
  #arenaUsed = 0;
  #known = 0;

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
      for (let at = this.#bytes.indexOf(beginning, from); at < (next?.at ?? length); ) {
        const end = this.#endOfAdded(tokens, at, length);
        if (end > 0) next = { at, end };
        at = this.#bytes.indexOf(beginning, at + 1);
      }
    return next;
  }

  /** 0: no token begins there. */
  #endOfAdded(tokens: readonly Uint8Array[], at: number, length: number): number {
    for (const token of tokens) {
      let same = 1;
      while (same < token.length && this.#bytes[at + same] === token[same]) same++;
      if (same === token.length && at + same <= length) return at + same;
    }
    return 0;
  }

  /** Of a stretch that has a byte behind it which is no letter. Null: it holds other characters. */
  #countWords(from: number, length: number): number | null {
    const bytes = this.#bytes;
    const view = this.#view;
    const arena = this.#arena;
    let table = this.#slots;
    let count = 0;
    for (let at = from; at < length; ) {
      const kind = classes[bytes[at] ?? 0];
      let end = at;
      let hash = firstHash;
      let lane = view.getInt32(at, true);
      let marks = stopsIn(lane);
      // Most words are letters, with a blank in front or not: these are gone through once.
      if (kind === blank) marks &= ~firstStop;
      while (marks === 0) {
        hash = hashed(hash, lane);
        end += laneBytes;
        lane = view.getInt32(end, true);
        marks = stopsIn(lane);
      }
      const rest = bytesBefore(marks);
      if (rest > 0) hash = hashed(hash, beginningOf(lane, rest));
      end += rest;
      if (kind !== letter && (kind !== blank || end === at + 1)) {
        end = endOfWord(bytes, at, length);
        if (end === 0) return null;
        hash = hashOf(view, at, end);
      }
      const slot = slotOf(hash, table.length / 2);
      const known = table[slot * 2 + 1] ?? 0;
      // Nearly every word is where it is looked for first.
      if (table[slot * 2] === hash && isWord(known, arena, view, at, end)) count += known & fieldMask;
      else if (end - at > longestKnown) count += this.#countAnew(this.#text(at, end));
      else {
        count += this.#countWord(at, end, hash);
        table = this.#slots;
      }
      at = end;
    }
    return count;
  }

  /** Their bytes; null: they are not ASCII. */
  #write(texts: readonly string[]): number | null {
    let length = 0;
    for (const text of texts) {
      // Most texts need not be measured: a unit of a text takes at most three bytes.
      if (length + text.length * 3 + endBytes > this.#bytes.length) this.#makeRoom(length + Buffer.byteLength(text));
      // A character that is not ASCII takes more bytes than the text has characters.
      if (this.#bytes.write(text, length) !== text.length) return null;
      length += text.length;
    }
    // The last lane reaches over the end of the text, where no letter may stand.
    this.#view.setInt32(length, 0, true);
    // Nor need anybody look for added tokens any further.
    for (const [index, [beginning]] of this.#added.entries()) this.#bytes[length + index] = beginning;
    return length;
  }

  #makeRoom(textBytes: number): void {
    if (textBytes + endBytes <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(textBytes + endBytes, this.#bytes.length * 2));
    this.#bytes.copy(larger);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }

  #text(at: number, end: number): string {
    return this.#bytes.toString('latin1', at, end);
  }

  #countWord(at: number, end: number, hash: number): number {
    const table = this.#slots;
    let slot = slotOf(hash, table.length / 2);
    for (let known = table[slot * 2 + 1] ?? 0; known !== 0; known = table[slot * 2 + 1] ?? 0) {
      if (table[slot * 2] === hash && isWord(known, this.#arena, this.#view, at, end)) return known & fieldMask;
      slot = (slot + 1) & (table.length / 2 - 1);
    }
    const count = this.#countAnew(this.#text(at, end));
    if (Number.isNaN(count)) return count;
    this.#remember(slot, { hash, at, end, count });
    return count;
  }

  #remember(slot: number, { hash, at, end, count }: { hash: number; at: number; end: number; count: number }): void {
    if (this.#known >= mostKnown || this.#arenaUsed + longestKnown / laneBytes > arenaLanes) {
      this.#slots.fill(0);
      this.#known = 0;
      this.#arenaUsed = 0;
      // The slot was found among those that were in use.
      return;
    }
    this.#slots[slot * 2] = hash;
    this.#slots[slot * 2 + 1] = (this.#arenaUsed << (2 * fieldBits)) | ((end - at) << fieldBits) | count;
    for (let place = at; place < end; place += laneBytes)
      this.#arena[this.#arenaUsed++] = laneAt(this.#view, place, end);
    this.#known++;
    if (this.#known * 4 > this.#slots.length) this.#spread();
  }

  /** Twice as many slots: as few as will do stay in the caches. */
  #spread(): void {
    const table = new Int32Array(this.#slots.length * 2);
    for (let from = 0; from < this.#slots.length; from += 2) {
      const [hash = 0, known = 0] = [this.#slots[from], this.#slots[from + 1]];
      if (known === 0) continue;
      let slot = slotOf(hash, table.length / 2);
      while (table[slot * 2 + 1] !== 0) slot = (slot + 1) & (table.length / 2 - 1);
      table[slot * 2] = hash;
      table[slot * 2 + 1] = known;
    }
    this.#slots = table;
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function slotOf(hash: number, slots: number): number {
  return (hash ^ (hash >>> 15)) & (slots - 1);
}

/** Whether a slot holds this word; one that is free holds none. */
function isWord(known: number, arena: Int32Array, view: DataView, at: number, end: number): boolean {
  if (((known >> fieldBits) & fieldMask) !== end - at) return false;
  for (let place = at, lane = known >>> (2 * fieldBits); place < end; place += laneBytes, lane++)
    if (arena[lane] !== laneAt(view, place, end)) return false;
  return true;
}

const highBits = 0x80808080 | 0;
const firstStop = 0x80;

/** The highest bit of each byte that is no letter. The bytes are ASCII, so that no sum reaches into the next one. */
function stopsIn(lane: number): number {
  const small = lane | 0x20202020;
  return (~(small + 0x1f1f1f1f) | (small + 0x05050505)) & highBits;
}

/** Bytes in front of the first one that is marked. */
function bytesBefore(stops: number): number {
  return (31 - Math.clz32(stops & -stops)) >> 3;
}

function beginningOf(lane: number, bytes: number): number {
  return lane & ((1 << (bytes * 8)) - 1);
}

function laneAt(view: DataView, place: number, end: number): number {
  const lane = view.getInt32(place, true);
  return end - place >= laneBytes ? lane : beginningOf(lane, end - place);
}

const firstHash = 0x811c9dc5 | 0;

function hashed(hash: number, lane: number): number {
  const mixed = Math.imul(hash ^ lane, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
}

function hashOf(view: DataView, at: number, end: number): number {
  let hash = firstHash;
  for (let place = at; place < end; place += laneBytes) hash = hashed(hash, laneAt(view, place, end));
  return hash;
}
