import {
  DuckDBBlobValue,
  type DuckDBDataChunk,
  DuckDBDecimalValue,
  DuckDBMapType,
  DuckDBMapValue,
  DuckDBStructType,
  DuckDBStructValue,
  type DuckDBType,
  type DuckDBValue,
  type DuckDBValueConverter,
  type DuckDBVector,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import { objectInOrder, parseExactJson } from '#kernel';
import { brokenRow, excerptFrom, type RowProblem, type SourceRow } from './source-row.ts';

/** A vector remembers every value that it gave, so rows are read from vectors of a few rows, which are soon forgotten. */
const rowsAtOnce = 16;

class RowTooLarge extends Error {}
class NotText extends Error {}

const notText: RowProblem = { code: 'bad_encoding', message: 'A value of the row is bytes that are not UTF-8.' };
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Makes rows of what DuckDB gives. A text that is stored once may stand in each row, and often in one, so it is counted what
 * rows have in them.
 */
export class ParquetRows {
  readonly #columns: readonly string[];
  readonly #maxRowBytes: number;
  #line = 0;
  #bytes = 0;
  #rowBytes = 0;

  constructor(columns: readonly string[], maxRowBytes: number) {
    this.#columns = columns;
    this.#maxRowBytes = maxRowBytes;
  }

  /** Of all rows so far: those of texts in UTF-8, and one for everything else. */
  get bytes(): number {
    return this.#bytes;
  }

  *rowsOf(chunk: DuckDBDataChunk): Generator<SourceRow> {
    const { rowCount } = chunk;
    for (let from = 0; from < rowCount; from += rowsAtOnce) {
      const rows = Math.min(rowsAtOnce, rowCount - from);
      const vectors = this.#columns.map((_, column) => chunk.getColumnVector(column).slice(from, rows));
      for (let at = 0; at < rows; at++) yield this.#row(vectors, at);
    }
  }

  #row(vectors: readonly DuckDBVector[], at: number): SourceRow {
    const line = ++this.#line;
    this.#rowBytes = 0;
    try {
      const values = vectors.map((vector) => this.#toJson(vector.getItem(at), vector.type, this.#toJson));
      const fields = objectInOrder(this.#columns.map((name, column) => [name, values[column] ?? null]));
      const excerpt = () => excerptFrom(JSON.stringify(fields));
      return { line, byteOffset: null, fields, problem: null, excerpt };
    } catch (error) {
      if (error instanceof NotText) return brokenRow({ line, byteOffset: null }, notText, '');
      if (!(error instanceof RowTooLarge)) throw error;
      const message = `The row is longer than ${this.#maxRowBytes} bytes.`;
      return brokenRow({ line, byteOffset: null }, { code: 'too_large', message }, '');
    } finally {
      this.#bytes += this.#rowBytes;
    }
  }

  /** DuckDB's own makes texts of integers of 64 bits and of decimals, and most writers have no other integers: the arguments of a tool, say. */
  readonly #toJson: DuckDBValueConverter<Json> = (value, type, converter) => {
    this.#rowBytes += bytesOf(value);
    if (this.#rowBytes > this.#maxRowBytes) throw new RowTooLarge();
    // Writers that leave out the annotation of texts write plain bytes.
    if (value instanceof DuckDBBlobValue) return textOf(value.bytes);
    // as: numbers and objects of JSON, with all digits and in the order of the file.
    if (typeof value === 'bigint' || value instanceof DuckDBDecimalValue) return parseExactJson(String(value)) as Json;
    if (value instanceof DuckDBStructValue && type instanceof DuckDBStructType)
      return objectInOrder(
        membersOf(value, type).map(([name, member, of]) => [name, converter(member, of, converter)]),
      ) as Json;
    if (value instanceof DuckDBMapValue && type instanceof DuckDBMapType)
      return objectInOrder(
        value.entries.map(({ key, value: entry }) => [String(key), converter(entry, type.valueType, converter)]),
      ) as Json;
    return JsonDuckDBValueConverter(value, type, converter);
  };
}

/**
 * A struct has the members of all rows: those that a row does not have are null there. A row with null cannot be distinguished from
 * them, so both are left out.
 */
function membersOf({ entries }: DuckDBStructValue, { entryNames, entryTypes }: DuckDBStructType) {
  return entryNames.flatMap((name, index): [string, DuckDBValue, DuckDBType][] => {
    const [member, type] = [entries[name], entryTypes[index]];
    return member === undefined || member === null || type === undefined ? [] : [[name, member, type]];
  });
}

function textOf(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new NotText();
  }
}

function bytesOf(value: DuckDBValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  return value instanceof DuckDBBlobValue ? value.bytes.length : 1;
}
