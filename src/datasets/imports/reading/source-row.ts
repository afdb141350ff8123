export type FileFormat = 'jsonl' | 'json' | 'csv' | 'tsv' | 'parquet' | 'xlsx';

/** Why a row of a file could not be read; the next row is read all the same. */
export type RowProblem = {
  code: 'bad_json' | 'bad_encoding' | 'wrong_type' | 'too_large';
  message: string;
  hint?: string;
};

export type RowLocation = {
  /** From 1; of Parquet and Excel the number of the row. */
  line: number;
  /** In the text, after decompression and as UTF-8; null for formats without text. */
  byteOffset: number | null;
};

export type SourceRow = RowLocation & {
  /** Its columns; null when there is a problem. */
  fields: Readonly<Record<string, unknown>> | null;
  problem: RowProblem | null;
  excerpt: () => string;
};

/** Of a row in a file that was taken for UTF-8, perhaps because of how it begins. */
export const notUtf8: RowProblem = {
  code: 'bad_encoding',
  message: 'The row is not UTF-8.',
  hint: 'Have the file read again in its encoding, such as windows-1252, or export it as UTF-8.',
};

export type ReadBounds = {
  maxTextBytes: number;
  maxRows: number;
  maxRowBytes: number;
  maxColumns: number;
};

export const excerptChars = 200;
export const maxDepth = 64;

/** Rows of a batch: few enough that a batch is short-lived memory. */
export const batchRows = 200;
export const batchBytes = 1 << 20;

/** Rows as they are handed on. `bytesSoFar` bounds the memory of a batch where a source does not do so itself. */
export function* batchesOf(rows: Iterable<SourceRow>, bytesSoFar = () => 0): Generator<SourceRow[]> {
  let batch: SourceRow[] = [];
  let bytesBefore = bytesSoFar();
  for (const row of rows) {
    batch.push(row);
    if (batch.length < batchRows && bytesSoFar() - bytesBefore < batchBytes) continue;
    yield batch;
    batch = [];
    bytesBefore = bytesSoFar();
  }
  if (batch.length > 0) yield batch;
}

/** The beginning of a row as text. It is copied: a slice would keep the whole text in memory for as long as itself. */
export function excerptFrom(text: string): string {
  return Buffer.from(text.slice(0, excerptChars), 'utf16le').toString('utf16le');
}

export function brokenRow(location: RowLocation, problem: RowProblem, text: string): SourceRow {
  const excerpt = excerptFrom(text);
  return { ...location, fields: null, problem, excerpt: () => excerpt };
}

/** `text`: at least the beginning of the row. */
export function tooLongRow(text: Buffer, location: RowLocation, maxRowBytes: number): SourceRow {
  const message = `The row is longer than ${maxRowBytes} bytes.`;
  return brokenRow(location, { code: 'too_large', message }, text.toString('utf8', 0, excerptChars * 4));
}

/** A row that was read: only an object has columns. */
export function rowOf(location: RowLocation, value: unknown, text: string): SourceRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'Expected an object with the columns of the row.';
    return brokenRow(location, { code: 'wrong_type', message }, text);
  }
  // as: an object of JSON.
  const fields = value as Record<string, unknown>;
  return { ...location, fields, problem: null, excerpt: () => excerptFrom(text) };
}

/** The bytes of a row that arrive in pieces; of one that is too long only the first ones are stored. */
export class RowBuffer {
  readonly #maxBytes: number;
  #pieces: Buffer[] = [];
  bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  append(piece: Buffer): void {
    if (this.bytes <= this.#maxBytes) this.#pieces.push(piece);
    this.bytes += piece.length;
  }

  take(): { text: Buffer; isTooLong: boolean } {
    const [first] = this.#pieces;
    const text = first && this.#pieces.length === 1 ? first : Buffer.concat(this.#pieces);
    const isTooLong = this.bytes > this.#maxBytes;
    this.#pieces = [];
    this.bytes = 0;
    return { text, isTooLong };
  }
}
