import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { ImportFailure } from './import-failure.ts';
import { ParquetRows } from './parquet-rows.ts';
import { checkColumns, checkGrowth, checkTextBytes } from './read-limits.ts';
import { batchesOf, type ReadBounds, type SourceRow } from './source-row.ts';

/** What DuckDB may use; a file whose row groups need more is refused by it with an error, not by the kernel. */
const memoryLimit = '256MB';
/** DuckDB gives 2,048 rows at a time, and would read so many ahead that their texts alone took gigabytes. */
const readAhead = '1KB';
/** Up to this size any ratio is allowed: in Parquet a text that many rows share is stored once. */
const freeBytes = 256 * 1024 * 1024;
const hint = 'Upload it as JSONL.';

export type ParquetBounds = { packedBytes: number; bounds: ReadBounds };

/** Reads a Parquet file from disk: its footer is at its end, so it cannot be read as it comes. */
export async function* readParquet(path: string, bounds: ParquetBounds): AsyncGenerator<SourceRow[]> {
  const instance = await DuckDBInstance.create(':memory:', {
    threads: '1',
    memory_limit: memoryLimit,
    temp_directory: '',
    autoinstall_known_extensions: 'false',
    autoload_known_extensions: 'false',
  });
  const connection = await instance.connect();
  try {
    await connection.run(`set streaming_buffer_size = '${readAhead}'`);
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
  { packedBytes, bounds }: ParquetBounds,
): AsyncGenerator<SourceRow[]> {
  const result = await connection.stream(`select * from read_parquet('${path.replaceAll("'", "''")}')`);
  const columns = result.deduplicatedColumnNames();
  checkColumns(columns.length, bounds.maxColumns);
  const reader = new ParquetRows(columns, bounds.maxRowBytes);
  for await (const chunk of result) {
    for (const rows of batchesOf(reader.rowsOf(chunk), () => reader.bytes)) {
      checkTextBytes(reader.bytes, bounds.maxTextBytes);
      checkGrowth(reader.bytes, { packedBytes, freeBytes, hint });
      yield rows;
    }
    // Its texts are outside of V8's heap: nothing would make V8 collect them.
    chunk.reset();
  }
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
