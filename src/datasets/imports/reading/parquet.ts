import {
  type DuckDBConnection,
  DuckDBInstance,
  type DuckDBValueConverter,
  type Json,
  JsonDuckDBValueConverter,
} from '@duckdb/node-api';
import { ImportFailure } from './import-failure.ts';
import { batchRows, excerptChars, type ReadBounds, type SourceRow } from './source-row.ts';

/** What DuckDB may use; a file whose row groups need more is refused by it with an error, not by the kernel. */
const memoryLimit = '256MB';

/** Reads a Parquet file from disk: its footer is at its end, so it cannot be read as it comes. */
export async function* readParquet(path: string, bounds: ReadBounds): AsyncGenerator<SourceRow[]> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: memoryLimit,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    yield* rowsOf(connection, path, bounds);
  } catch (error) {
    throw error instanceof ImportFailure ? error : failureOf(error);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

async function* rowsOf(
  connection: DuckDBConnection,
  path: string,
  { maxColumns }: ReadBounds,
): AsyncGenerator<SourceRow[]> {
  const result = await connection.stream(`select * from read_parquet('${path.replaceAll("'", "''")}')`);
  const columns = result.columnNames();
  if (columns.length > maxColumns)
    throw new ImportFailure(
      'too_many_columns',
      `The file has ${columns.length} columns; at most ${maxColumns} can be read.`,
      {
        details: { limit: maxColumns, actual: columns.length },
      },
    );
  let line = 0;
  for await (const rows of result.yieldConvertedRowObjects(toJson))
    for (let at = 0; at < rows.length; at += batchRows)
      yield rows.slice(at, at + batchRows).map((fields) => toRow(fields, ++line));
}

/** DuckDB's own makes texts of all integers of 64 bits, and most writers have no others: the arguments of a tool, say. */
const toJson: DuckDBValueConverter<Json> = (value, type, converter) => {
  const number = typeof value === 'bigint' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(number) ? number : JsonDuckDBValueConverter(value, type, converter);
};

function toRow(fields: Record<string, Json | null>, line: number): SourceRow {
  return {
    line,
    byteOffset: null,
    fields,
    problem: null,
    excerpt: () => JSON.stringify(fields).slice(0, excerptChars),
  };
}

function failureOf(error: unknown): ImportFailure {
  const text = error instanceof Error ? error.message : String(error);
  const [firstLine = ''] = text.split('\n');
  if (/out of memory/i.test(firstLine))
    return new ImportFailure('too_large', 'The row groups of the file are too large to be read.', {
      hint: 'Write it with smaller row groups, such as row_group_size=10000.',
    });
  if (/no magic bytes/i.test(firstLine))
    return new ImportFailure('unreadable', 'The Parquet file has no end, which says where everything is.', {
      hint: 'The file may have been cut off.',
    });
  return new ImportFailure(
    'unreadable',
    `The Parquet file cannot be read: ${firstLine.replace(/['"]?\/[^\s'"]+['"]?/g, 'the file')}`,
  );
}
