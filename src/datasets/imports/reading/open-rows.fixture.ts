import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { after, before } from 'node:test';
import { DuckDBInstance } from '@duckdb/node-api';
import { ImportFailure } from './import-failure.ts';
import { type OpenedFile, openRows, type ReadOptions } from './open-rows.ts';
import type { ReadBounds, SourceRow } from './source-row.ts';
import { workbookOf } from './xlsx/workbook.fixture.ts';

const bounds: ReadBounds = { maxTextBytes: 64_000_000, maxRows: 1_000, maxRowBytes: 10_000, maxColumns: 50 };
const found: ReadOptions = { format: null, encoding: null, delimiter: null };
let folder: string;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-reading-'));
});
after(() => rm(folder, { recursive: true }));

type Opening = { options?: Partial<ReadOptions>; pieces?: number; limits?: Partial<ReadBounds> };

/** Opens a file of these bytes, which arrive in chunks of `pieces` bytes. */
export function open(
  name: string,
  bytes: Buffer,
  { options = {}, pieces = 7_000, limits = {} }: Opening = {},
): Promise<OpenedFile> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / pieces) }, (_, n) =>
    bytes.subarray(n * pieces, (n + 1) * pieces),
  );
  const file = { name, sizeBytes: bytes.length, bytes: Readable.from(chunks) };
  return openRows(file, { options: { ...found, ...options }, bounds: { ...bounds, ...limits }, tempDir: folder });
}

export async function rowsOf(...input: Parameters<typeof open>): Promise<{ file: OpenedFile; rows: SourceRow[] }> {
  const file = await open(...input);
  const rows: SourceRow[] = [];
  for await (const batch of file.rows) rows.push(...batch);
  return { file, rows };
}

/** Each row as its line and its fields, or as its line and the code of its problem. */
export const described = (rows: readonly SourceRow[]) =>
  rows.map(({ line, fields, problem }) => (problem ? `${line} ${problem.code}` : `${line} ${JSON.stringify(fields)}`));

export async function parquetOf(values: string): Promise<Buffer> {
  const file = path.join(folder, 'made.parquet');
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(`copy (${values}) to '${file}' (format parquet)`);
  connection.closeSync();
  instance.closeSync();
  return readFile(file);
}

/** The same three rows in every format. */
export const samples: Record<string, () => Buffer | Promise<Buffer>> = {
  'a.jsonl': () => Buffer.from('{"q":"one","n":1}\n\n{"q":"zwei ü","n":2}\r\n{"q":"three","n":3}'),
  'a.json': () => Buffer.from('[\n {"q":"one","n":1},\n\n {"q":"zwei ü",\n  "n":2},{"q":"three","n":3}]\n'),
  'a.csv': () => Buffer.from('q,n\none,1\n\n"zwei ü",2\r\nthree,3'),
  'a.tsv': () => Buffer.from('q\tn\none\t1\n\nzwei ü\t2\nthree\t3\n'),
  'a.parquet': () => parquetOf("select * from (values ('one', 1), ('zwei ü', 2), ('three', 3)) as t (q, n)"),
  'a.xlsx': () => workbookOf([{ name: 'Data', rows: [['q', 'n'], ['one', 1], null, ['zwei ü', 2], ['three', 3]] }]),
};

/** For `assert.rejects`. */
export const isFailure = (code: string) => (error: unknown) => error instanceof ImportFailure && error.code === code;
