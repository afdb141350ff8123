import { parseExactJson } from '#kernel';

const quote = 0x22;
const backslash = 0x5c;
const newline = 0x0a;
const maxDepth = 8;

/** Escapes that are written in this way only; of `\/` and `\u0041` there are other ways. */
const plainEscapes: ReadonlySet<number | undefined> = new Set([...Buffer.from('"\\bfnrt')]);

/**
 * Reads JSON step by step from UTF-8, as long as it is written in the usual way; each step says whether it is. JSON
 * that is written otherwise is not wrong: the full parser reads it instead.
 */
export class PlainJson {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #encoding: 'latin1' | 'utf8';
  #at = 0;
  #isEscaped = false;
  /** Of the text that was read last, without its quotes. */
  textAt = 0;
  textEnd = 0;

  /** `latin1`: the bytes are ASCII. */
  constructor(bytes: Buffer, encoding: 'latin1' | 'utf8') {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#encoding = encoding;
  }

  goTo(at: number): void {
    this.#at = at;
  }

  isAt(end: number): boolean {
    this.#skipBlanks();
    return this.#at === end;
  }

  /** This sign, behind blanks or not. */
  take(sign: number): boolean {
    if (this.#skipBlanks() !== sign) return false;
    this.#at++;
    return true;
  }

  /** A text whose escapes, if any, are those of `JSON.stringify`. */
  readText(): boolean {
    if (!this.take(quote)) return false;
    const bytes = this.#bytes;
    this.#isEscaped = false;
    let end = this.#nextMark(this.#at);
    for (; bytes[end] !== quote; end = this.#nextMark(end + 2)) {
      if (bytes[end] !== backslash || !plainEscapes.has(bytes[end + 1])) return false;
      this.#isEscaped = true;
    }
    this.textAt = this.#at;
    this.textEnd = end;
    this.#at = end + 1;
    return true;
  }

  /** Whether these are the bytes of that text. */
  isText(wanted: Uint8Array): boolean {
    if (this.textEnd - this.textAt !== wanted.length) return false;
    for (let index = 0; index < wanted.length; index++)
      if (this.#bytes[this.textAt + index] !== wanted[index]) return false;
    return true;
  }

  text(): string {
    if (!this.#isEscaped) return this.#bytes.toString(this.#encoding, this.textAt, this.textEnd);
    return JSON.parse(this.#bytes.toString(this.#encoding, this.textAt - 1, this.textEnd + 1));
  }

  /** Any value; undefined: it is none, or not a plain one. */
  readValue(): unknown {
    const first = this.#skipBlanks();
    if (first === quote) return this.readText() ? this.text() : undefined;
    const at = this.#at;
    if (!(isOpening(first) ? this.#passNested() : this.#passWord())) return undefined;
    try {
      return parseExactJson(this.#bytes.toString(this.#encoding, at, this.#at));
    } catch {
      return undefined;
    }
  }

  #passWord(): boolean {
    const at = this.#at;
    while (isOfWord(this.#bytes[this.#at])) this.#at++;
    return this.#at > at;
  }

  #passNested(): boolean {
    for (let depth = 0; ; ) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined || byte === newline) return false;
      if (byte === quote) {
        if (!this.readText()) return false;
        continue;
      }
      this.#at++;
      if (isOpening(byte) && ++depth > maxDepth) return false;
      if (isClosing(byte) && --depth === 0) return true;
    }
  }

  /** What stands behind them. */
  #skipBlanks(): number | undefined {
    let byte = this.#bytes[this.#at];
    while (byte === 0x20 || byte === 0x09 || byte === 0x0d) byte = this.#bytes[++this.#at];
    return byte;
  }

  /** The next quote, backslash or control character, which a line ends with; or the end of all. */
  #nextMark(from: number): number {
    const view = this.#view;
    const lastLanes = view.byteLength - 2 * laneBytes;
    let at = from;
    for (; at <= lastLanes; at += 2 * laneBytes) {
      const marks = marksIn(view.getInt32(at, true));
      const more = marksIn(view.getInt32(at + laneBytes, true));
      if ((marks | more) === 0) continue;
      return marks !== 0 ? at + bytesBefore(marks) : at + laneBytes + bytesBefore(more);
    }
    while (at < view.byteLength && !isMark(view.getUint8(at))) at++;
    return at;
  }
}

const laneBytes = 4;
const highBits = 0x80808080 | 0;

/**
 * The highest bit of each byte that is a quote, a backslash or a control character. Above the first one there may be more
 * bits than that: a difference borrows from the next byte.
 */
function marksIn(lane: number): number {
  // A quote comes right behind the control characters, as a blank and a quote change places.
  const small = lane ^ 0x02020202;
  const slashes = lane ^ 0x5c5c5c5c;
  return (((small - 0x21212121) & ~small) | ((slashes - 0x01010101) & ~slashes)) & highBits;
}

function bytesBefore(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >> 3;
}

const isMark = (byte: number) => byte === quote || byte === backslash || byte < 0x20;
const isOpening = (byte: number | undefined) => byte === 0x7b || byte === 0x5b;
const isClosing = (byte: number | undefined) => byte === 0x7d || byte === 0x5d;

/** Of a number, `true`, `false` or `null`. */
function isOfWord(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const isDigit = byte >= 0x30 && byte <= 0x39;
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  return isDigit || isLetter || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}
