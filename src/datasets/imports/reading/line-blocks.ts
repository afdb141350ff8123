import { isAscii, isUtf8 } from 'node:buffer';
import { readJsonRow, readJsonText } from './read-json-row.ts';
import { brokenRow, excerptChars, type SourceRow } from './source-row.ts';

const newline = 0x0a;

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

/** What excerpts need of a line. */
const beginningBytes = 1_000;

/** What of the text comes before a block. */
type Before = { lines: number; byteOffset: number };

export type BlockRows<Row = SourceRow> = {
  rows: Iterable<Row>;
  /** Of the block, once its rows are read. */
  lines: () => number;
};

/** `readFirst`: by whom a line may be read in another way. */
type How<Other> = { maxRowBytes: number; readFirst?: ReadLine<Other | null> | null };

/** Reads a block, one JSON object a line; empty lines count but are no rows. */
export function readBlock<Other = never>(
  block: LineBlock,
  { maxRowBytes, readFirst = null }: How<Other>,
  before: Before,
): BlockRows<SourceRow | Other> {
  const text = block.buffer.subarray(0, block.bytes);
  const read = readerOf(text);
  let lines = 0;
  function* rows(): Generator<SourceRow | Other> {
    for (let at = 0; at < text.length; ) {
      const end = endOfLine(text, at);
      const place = { line: before.lines + ++lines, byteOffset: before.byteOffset + at };
      if (block.isCut || end - at > maxRowBytes) yield tooLong(text.subarray(at, end), place, maxRowBytes);
      else if (!isBlank(text, at, end)) yield readFirst?.({ at, end }, place) ?? read({ at, end }, place);
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
type ReadLine<Row = SourceRow> = (line: { at: number; end: number }, place: Place) => Row;

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
