import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { CsvError, type Info, type Options, parse } from 'csv-parse';
import { columnNames } from './column-names.ts';
import { ImportFailure } from './import-failure.ts';
import { checkColumns } from './read-limits.ts';
import {
  batchBytes,
  batchRows,
  brokenRow,
  excerptFrom,
  notUtf8,
  type ReadBounds,
  type RowLocation,
  type SourceRow,
} from './source-row.ts';

type Parsed = { record: Buffer[]; info: Info };

/** Reads a file of delimited values. Its first row names the columns; `skipsFirst`: the one behind a line that states the delimiter. */
export async function* readDelimited(
  chunks: AsyncIterable<Buffer>,
  { delimiter, bounds, skipsFirst }: { delimiter: string; bounds: ReadBounds; skipsFirst: boolean },
): AsyncGenerator<SourceRow[]> {
  // The parser reads ahead: its errors are reported after the last record that it has read, not the last that was taken
  // from it.
  const parsed = { lines: 0 };
  const onRecord: Options['on_record'] = (record, { lines }) => {
    parsed.lines = lines;
    return record;
  };
  const parser = parse({ ...optionsOf(delimiter, bounds), on_record: onRecord });
  const source = Readable.from(chunks, { objectMode: true, highWaterMark: 1 });
  source.once('error', (error) => parser.destroy(error));
  let columns: string[] | null = null;
  let skipsNext = skipsFirst;
  let previousEnd = 0;
  let batch: SourceRow[] = [];
  let batchStart = 0;
  try {
    // as: what `info` and `encoding: null` make the parser give.
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<Parsed>) {
      const location = { line: info.lines - newlinesIn(record), byteOffset: previousEnd };
      previousEnd = info.bytes;
      if (skipsNext) skipsNext = false;
      else if (columns === null) columns = columnNames(record.map(String), bounds.maxColumns, headerHint);
      else batch.push(toRow(record, columns, location));
      if (batch.length < batchRows && info.bytes - batchStart < batchBytes) continue;
      yield batch;
      batch = [];
      batchStart = info.bytes;
    }
  } catch (error) {
    throw error instanceof CsvError ? failureOf(error, parsed.lines, bounds) : error;
  } finally {
    source.destroy();
    parser.destroy();
  }
  if (columns === null) throw new ImportFailure('empty_file', 'The file has no row that names its columns.');
  if (batch.length > 0) yield batch;
}

function optionsOf(delimiter: string, { maxRowBytes }: ReadBounds): Options {
  return {
    delimiter,
    // Bytes: whether a value is UTF-8 is decided for each row.
    encoding: null,
    info: true,
    // Several line ends are accepted, because a file may have been concatenated from several.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A quote inside of a plain value means itself, as spreadsheets write it.
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRowBytes,
  };
}

const headerHint = 'Is the delimiter right, and does the first row name the columns?';

/** A header of a million names takes the parser minutes, so whoever can count them before should. */
export function checkHeader(columns: number, maxColumns: number): void {
  checkColumns(columns, maxColumns, { orMore: true, hint: headerHint });
}

function toRow(record: readonly Buffer[], columns: readonly string[], location: RowLocation): SourceRow {
  const excerpt = () => excerptFrom(record.map(String).join(', '));
  if (!record.every((value) => isUtf8(value))) return brokenRow(location, notUtf8, excerpt());
  if (record.length > columns.length) {
    const message = `The row has ${record.length} values, but the file has ${columns.length} columns.`;
    return brokenRow(
      location,
      { code: 'wrong_type', message, hint: 'Put values that hold the delimiter in quotes.' },
      excerpt(),
    );
  }
  // A Map would not do: rows of all formats look alike. Without a prototype, "__proto__" is a name like any other.
  const fields: Record<string, unknown> = Object.create(null);
  // A value that is not there and an empty one are the same in this format.
  for (const [index, name] of columns.entries()) fields[name] = record[index]?.toString() || null;
  return { ...location, fields, problem: null, excerpt };
}

function newlinesIn(record: readonly Buffer[]): number {
  let count = 0;
  for (const value of record) for (let at = value.indexOf(0x0a); at >= 0; at = value.indexOf(0x0a, at + 1)) count++;
  return count;
}

function failureOf(error: CsvError, lastLine: number, { maxRowBytes }: ReadBounds): ImportFailure {
  const line = lastLine + 1;
  const details = { line };
  switch (error.code) {
    case 'CSV_MAX_RECORD_SIZE':
      return new ImportFailure('row_too_large', `The row after line ${lastLine} is longer than ${maxRowBytes} bytes.`, {
        details: { ...details, limit: maxRowBytes },
        hint: 'A quote that is never closed makes one row of all that follows.',
      });
    case 'CSV_QUOTE_NOT_CLOSED':
      return new ImportFailure('unreadable', `A quote that opens after line ${lastLine} is never closed.`, {
        details,
        hint: 'Inside of quotes, a quote is written twice.',
      });
    default:
      return new ImportFailure('unreadable', `The file cannot be read from line ${line} on: ${error.message}`, {
        details,
      });
  }
}
