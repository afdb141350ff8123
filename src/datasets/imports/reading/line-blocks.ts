import { isAscii, isUtf8 } from 'node:buffer';
import { readJsonRow, readJsonText } from './read-json-row.ts';
import { brokenRow, excerptChars, type SourceRow } from './source-row.ts';

const newline = 0x0a;

/** Blocks are of this size where no line is longer: large enough to be worth a message, small enough for the caches. */
const blockBytes = 1 << 18;

/** Whole lines of a text. */
export type LineBlock = {
  buffer: Buffer<ArrayBuffer>;
  /** Bytes of the buffer that are the block. */
  bytes: number;
  /** Where it begins in the text. */
  byteOffset: number;
  /** It is only the beginning of one line, which is longer than a row may be. */
  isCut: boolean;
};

export type LineBlocks = {
  blocks: AsyncIterable<LineBlock>;
  maxRowBytes: number;
  /** Takes back the memory of a block. */
  release: (memory: ArrayBuffer) => void;
};

/** Divides a text into blocks of whole lines. */
export function cutIntoBlocks(chunks: AsyncIterable<Buffer>, { maxRowBytes }: { maxRowBytes: number }): LineBlocks {
  const cutter = new BlockCutter(maxRowBytes);
  async function* blocks(): AsyncGenerator<LineBlock> {
    for await (const chunk of chunks) yield* cutter.take(chunk);
    yield* cutter.end();
  }
  return { blocks: blocks(), maxRowBytes, release: (memory) => cutter.release(memory) };
}

class BlockCutter {
  readonly #maxRowBytes: number;
  /** Memory is used again: the collector would be told of each piece. */
  readonly #free: ArrayBuffer[] = [];
  #buffer: Buffer<ArrayBuffer>;
  #used = 0;
  /** Of the block in the text. */
  #offset = 0;
  /** Of the line that is too long, as far as it has been seen; 0: there is none. */
  #longBytes = 0;

  constructor(maxRowBytes: number) {
    this.#maxRowBytes = maxRowBytes;
    this.#buffer = this.#take(blockBytes);
  }

  release(memory: ArrayBuffer): void {
    if (memory.byteLength === blockBytes && this.#free.length < mostFree) this.#free.push(memory);
  }

  *take(chunk: Buffer): Generator<LineBlock> {
    let at = this.#longBytes > 0 ? this.#throughLong(chunk) : 0;
    while (at < chunk.length) {
      const fitting = Math.min(chunk.length - at, this.#buffer.length - this.#used);
      chunk.copy(this.#buffer, this.#used, at, at + fitting);
      this.#used += fitting;
      at += fitting;
      if (this.#used < this.#buffer.length) continue;
      const lines = this.#buffer.lastIndexOf(newline) + 1;
      if (lines > 0) yield this.#cut(lines);
      else if (this.#used <= this.#maxRowBytes) this.#grow();
      else {
        yield this.#beginLong();
        at = this.#throughLong(chunk, at);
      }
    }
  }

  *end(): Generator<LineBlock> {
    if (this.#longBytes === 0 && this.#used > 0) yield this.#cut(this.#used);
  }

  /** The first bytes of what is gathered; the others begin the next block. */
  #cut(bytes: number): LineBlock {
    const block = { buffer: this.#buffer, bytes, byteOffset: this.#offset, isCut: false };
    const rest = this.#used - bytes;
    this.#buffer = this.#take(Math.max(blockBytes, rest * 2));
    block.buffer.copy(this.#buffer, 0, bytes, bytes + rest);
    this.#used = rest;
    this.#offset += bytes;
    return block;
  }

  #beginLong(): LineBlock {
    const block = { buffer: this.#buffer, bytes: this.#used, byteOffset: this.#offset, isCut: true };
    this.#buffer = this.#take(blockBytes);
    this.#longBytes = this.#used;
    this.#used = 0;
    return block;
  }

  /** Goes on behind the line that is too long, or to the end of the chunk. */
  #throughLong(chunk: Buffer, at = 0): number {
    const end = chunk.indexOf(newline, at);
    const behind = end < 0 ? chunk.length : end + 1;
    this.#longBytes += behind - at;
    if (end >= 0) {
      this.#offset += this.#longBytes;
      this.#longBytes = 0;
    }
    return behind;
  }

  #grow(): void {
    // One byte more than a row may have is enough to know.
    const larger = this.#take(Math.min(this.#buffer.length * 2, this.#maxRowBytes + 1));
    this.#buffer.copy(larger, 0, 0, this.#used);
    this.#buffer = larger;
  }

  #take(bytes: number): Buffer<ArrayBuffer> {
    const free = bytes === blockBytes ? this.#free.pop() : undefined;
    return Buffer.from(free ?? new ArrayBuffer(bytes));
  }
}

const mostFree = 16;

/** What excerpts need of a line. */
const beginningBytes = 1_000;

/** What of the text comes before a block. */
type Before = { lines: number; byteOffset: number };

export type BlockRows = {
  rows: Iterable<SourceRow>;
  /** Of the block, once its rows are read. */
  lines: () => number;
};

/** Reads a block, one JSON object a line; empty lines count but are no rows. */
export function readBlock(block: LineBlock, { maxRowBytes }: { maxRowBytes: number }, before: Before): BlockRows {
  const text = block.buffer.subarray(0, block.bytes);
  const read = readerOf(text);
  let lines = 0;
  function* rows(): Generator<SourceRow> {
    for (let at = 0; at < text.length; ) {
      const end = endOfLine(text, at);
      const place = { line: before.lines + ++lines, byteOffset: before.byteOffset + at };
      if (block.isCut || end - at > maxRowBytes) yield tooLong(text.subarray(at, end), place, maxRowBytes);
      else if (!isBlank(text, at, end)) yield read({ at, end }, place);
      at = end + 1;
    }
  }
  return { rows: rows(), lines: () => lines };
}

/** Reads the row of a block that begins `at` once more. */
export function readBlockAgain(block: LineBlock, { at, ...place }: RowPlace, maxRowBytes: number): SourceRow {
  const line = lineAt(block, at);
  return block.isCut || line.length > maxRowBytes ? tooLong(line, place, maxRowBytes) : readJsonRow(line, place);
}

/** The beginning of that row. */
export function excerptOf(block: LineBlock, at: number): string {
  return lineAt(block, at).toString('utf8', 0, beginningBytes).slice(0, excerptChars);
}

function lineAt({ buffer, bytes }: LineBlock, at: number): Buffer {
  const text = buffer.subarray(0, bytes);
  return text.subarray(at, endOfLine(text, at));
}

/** `at`: in its block; the others in the file. */
type RowPlace = { at: number; line: number; byteOffset: number };

type Place = { line: number; byteOffset: number };
type ReadLine = (line: { at: number; end: number }, place: Place) => SourceRow;

/** Looks at the encoding of the whole block at once where it can. */
function readerOf(text: Buffer): ReadLine {
  const encoding = isAscii(text) ? 'latin1' : isUtf8(text) ? 'utf8' : null;
  if (encoding === null) return ({ at, end }, place) => readJsonRow(text.subarray(at, end), place);
  return ({ at, end }, place) => readJsonText(text.toString(encoding, at, end), end - at, place);
}

function endOfLine(text: Buffer, at: number): number {
  const end = text.indexOf(newline, at);
  return end < 0 ? text.length : end;
}

function tooLong(line: Buffer, place: Place, maxRowBytes: number): SourceRow {
  const message = `The row is longer than ${maxRowBytes} bytes.`;
  return brokenRow(place, { code: 'too_large', message }, line.toString('utf8', 0, beginningBytes));
}

function isBlank(text: Buffer, from: number, end: number): boolean {
  for (let at = from; at < end; at++) {
    const byte = text[at];
    if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  }
  return true;
}
