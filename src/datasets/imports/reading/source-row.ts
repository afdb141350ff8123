export type FileFormat = 'jsonl' | 'json' | 'csv' | 'tsv' | 'parquet';

/** What a row of a file could not be read for; the next row is read all the same. */
export type RowProblem = {
  code: 'bad_json' | 'bad_encoding' | 'wrong_type' | 'too_large';
  message: string;
  hint?: string;
};

/** One row as the file has it. */
export type SourceRow = {
  /** Where it begins, from 1; of a Parquet file the number of the row. */
  line: number;
  /** Where it begins in the text, after decompression and as UTF-8; null where a format has no such place. */
  byteOffset: number | null;
  /** Its columns; null when there is a problem. */
  fields: Readonly<Record<string, unknown>> | null;
  problem: RowProblem | null;
  /** The row as text, at least the beginning of it. */
  excerpt: () => string;
};

/** Of a row in a file that was taken for UTF-8, perhaps because of how it begins. */
export const notUtf8: RowProblem = {
  code: 'bad_encoding',
  message: 'The row is not UTF-8.',
  hint: 'Have the file read again in its encoding, such as windows-1252, or export it as UTF-8.',
};

/** Bounds of what is read at all. */
export type ReadBounds = {
  /** Bytes after decompression. */
  maxTextBytes: number;
  maxRows: number;
  maxRowBytes: number;
  maxColumns: number;
};

export const excerptChars = 200;
export const maxDepth = 64;

/** Rows are handed on in batches of this size, so that there is little to wait for between them. */
export const batchRows = 500;

/** The beginning of a row as text. It is copied: a slice would keep the whole text in memory for as long as itself. */
export function excerptFrom(text: string): string {
  return Buffer.from(text.slice(0, excerptChars), 'utf16le').toString('utf16le');
}

export function brokenRow(
  place: { line: number; byteOffset: number | null },
  problem: RowProblem,
  text: string,
): SourceRow {
  const excerpt = excerptFrom(text);
  return { ...place, fields: null, problem, excerpt: () => excerpt };
}

/** A row that was read: only an object has columns. */
export function rowOf(
  place: { line: number; byteOffset: number | null },
  value: unknown,
  text: string | null,
): SourceRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const message = 'Expected an object with the columns of the row.';
    return brokenRow(place, { code: 'wrong_type', message }, text ?? JSON.stringify(value) ?? '');
  }
  // as: an object of JSON.
  const fields = value as Record<string, unknown>;
  return { ...place, fields, problem: null, excerpt: () => excerptFrom(text ?? JSON.stringify(fields)) };
}
