/** Longer words hardly come again. */
const longestKnown = 24;
const mostKnown = 1 << 16;
const slots = mostKnown * 2;
/** Four bytes each: a word is looked at so many bytes at a time, and those behind its end count as 0. */
const laneBytes = 4;
const arenaLanes = mostKnown * 3;
/** A slot says where its word begins, in the upper bits, then how long it is and how many tokens it has. */
const fieldBits = 5;
const fieldMask = (1 << fieldBits) - 1;

const other = 0;
const letter = 1;
const digit = 2;
const blank = 3;
const newline = 4;
const unknown = 5;

/** What a byte is to the division of a text; blanks and line ends that are not listed are not divided here. */
const classes = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

function classOf(byte: number): number {
  const character = String.fromCharCode(byte);
  if (/[A-Za-z]/.test(character)) return letter;
  if (/[0-9]/.test(character)) return digit;
  if (/[ \t]/.test(character)) return blank;
  if (/[\r\n]/.test(character)) return newline;
  return byte > 0x20 && byte < 0x7f ? other : unknown;
}

/** Whether a character is one that `WordCounts` can be told to stop at, or never meets. */
export function canStopAt(character: string): boolean {
  return character > '\x7f' || classOf(character.charCodeAt(0)) === other;
}

const space = 0x20;
const apostrophe = 0x27;

/**
 * Counts the tokens of ASCII text that is divided as Qwen2 does it, and remembers the counts of words. It works on bytes,
 * some at a time, and makes no string of any word that it knows.
 */
export class WordCounts {
  readonly #countAnew: (text: string) => number;
  readonly #stopping: Uint8Array;
  #bytes = Buffer.alloc(1 << 16);
  #view = viewOf(this.#bytes);
  /** Of each slot the hash of its word, and where that is; 0: it is free. Side by side, as memory is what takes time. */
  readonly #slots = new Int32Array(slots * 2);
  readonly #arena = new Int32Array(arenaLanes);
  #arenaUsed = 0;
  #known = 0;

  /** `stops`: characters of class `other` that texts may be looked through for on the way (`canStopAt`). */
  constructor(countAnew: (text: string) => number, stops: readonly string[]) {
    this.#countAnew = countAnew;
    const codes = new Set(stops.map((character) => character.charCodeAt(0)));
    this.#stopping = classes.map((kind, byte) => (codes.has(byte) ? unknown : kind));
  }

  /** Tokens of texts that stand one behind the other. Null: they hold other characters, or one to stop at. */
  count(texts: readonly string[], { stops }: { stops: boolean }): number | null {
    const length = this.#write(texts);
    if (length === null) return null;
    const kinds = stops ? this.#stopping : classes;
    const bytes = this.#bytes;
    const view = this.#view;
    const table = this.#slots;
    const arena = this.#arena;
    let count = 0;
    for (let at = 0; at < length; ) {
      const kind = kinds[bytes[at] ?? 0];
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
        end = endOfWord(kinds, bytes, at, length);
        if (end === 0) return null;
        hash = hashOf(view, at, end);
      }
      const slot = slotOf(hash);
      const known = table[slot * 2 + 1] ?? 0;
      // Nearly every word is where it is looked for first.
      if (table[slot * 2] === hash && isWord(known, arena, view, at, end)) count += known & fieldMask;
      else if (end - at > longestKnown) count += this.#countAnew(this.#text(at, end));
      else count += this.#countWord(at, end, hash);
      at = end;
    }
    return count;
  }

  /** Their bytes; null: they are not ASCII. */
  #write(texts: readonly string[]): number | null {
    let length = 0;
    for (const text of texts) {
      // A character that is not ASCII takes more bytes than the text has characters.
      const needed = length + text.length * 3 + laneBytes;
      if (this.#bytes.length < needed) this.#grow(needed * 2);
      if (this.#bytes.write(text, length) !== text.length) return null;
      length += text.length;
    }
    // The last lane reaches over the end of the text, where no letter may stand.
    this.#view.setInt32(length, 0, true);
    return length;
  }

  #grow(bytes: number): void {
    const larger = Buffer.alloc(bytes);
    this.#bytes.copy(larger);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }

  #text(at: number, end: number): string {
    return this.#bytes.toString('latin1', at, end);
  }

  #countWord(at: number, end: number, hash: number): number {
    const table = this.#slots;
    let slot = slotOf(hash);
    for (let known = table[slot * 2 + 1] ?? 0; known !== 0; known = table[slot * 2 + 1] ?? 0) {
      if (table[slot * 2] === hash && isWord(known, this.#arena, this.#view, at, end)) return known & fieldMask;
      slot = (slot + 1) & (slots - 1);
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
  }
}

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

function slotOf(hash: number): number {
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

/** The expression of `text-counter.ts`, choice by choice, for ASCII. 0: the byte is not known here. */
function endOfWord(kinds: Uint8Array, bytes: Uint8Array, at: number, length: number): number {
  const kind = kinds[bytes[at] ?? 0];
  if (kind === letter) return endOf(letter, kinds, bytes, { at: at + 1, length });
  if (kind === digit) return at + 1;
  if (kind === unknown) return 0;
  const next = at + 1 < length ? kinds[bytes[at + 1] ?? 0] : unknown;
  if (kind === other) {
    const contraction = bytes[at] === apostrophe ? endOfContraction(bytes, at, length) : 0;
    if (contraction > 0) return contraction;
  }
  if (kind !== newline && next === letter) return endOf(letter, kinds, bytes, { at: at + 2, length });
  if (kind === other || (bytes[at] === space && next === other))
    return endOf(newline, kinds, bytes, { at: endOf(other, kinds, bytes, { at: at + 1, length }), length });
  return endOfBlanks(kinds, bytes, at, length);
}

function endOf(kind: number, kinds: Uint8Array, bytes: Uint8Array, { at, length }: { at: number; length: number }) {
  let end = at;
  while (end < length && kinds[bytes[end] ?? 0] === kind) end++;
  return end;
}

/** `'s`, `'ll` and the like; 0: there is none. */
function endOfContraction(bytes: Uint8Array, at: number, length: number): number {
  const [first, second] = [at + 1, at + 2].map((place) => (place < length ? (bytes[place] ?? 0) | 0x20 : 0));
  const text = String.fromCharCode(first ?? 0, second ?? 0);
  if (/^[sdmt]/.test(text)) return at + 2;
  return /^(?:ll|ve|re)/.test(text) ? at + 3 : 0;
}

/** Up to the last line end among them; else all but the one that belongs to the word behind. */
function endOfBlanks(kinds: Uint8Array, bytes: Uint8Array, at: number, length: number): number {
  let end = at;
  let behindNewline = 0;
  for (let kind = kinds[bytes[end] ?? 0]; end < length && (kind === blank || kind === newline); ) {
    end++;
    if (kind === newline) behindNewline = end;
    kind = kinds[bytes[end] ?? 0];
  }
  if (behindNewline > 0) return behindNewline;
  return end === length || end - at === 1 ? end : end - 1;
}
