import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { hashAt, rowAt } from './content-bucket.ts';
import { RowKeeper } from './keep-rows.ts';
import { contentHeadBytes, hashBytes, rowRecordBytes } from './kept-format.ts';
import { NotKept, openKeptRows } from './kept-rows.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'fanfold-kept-'));
});
after(() => rm(folder, { recursive: true, force: true }));

const of = { importId: 'imp_1', reading: 1, sha256: 'a', mapping: '{}' };

type Row = { json: string; split: 'train' | 'test' | null; isFirst: boolean };

async function keep(name: string, rows: readonly Row[]): Promise<string> {
  const file = path.join(folder, name);
  const keeper = new RowKeeper(file);
  for (const [row, { json, split, isFirst }] of rows.entries()) {
    const bytes = Buffer.alloc(contentHeadBytes + Buffer.byteLength(json));
    createHash('sha256').update(json).digest().copy(bytes);
    bytes.write(json, contentHeadBytes);
    keeper.keep({ row, bytes, at: 0, end: bytes.length, split, isFirst });
    await keeper.settle();
  }
  await keeper.end({ ...of, rows: rows.length });
  return file;
}

async function readBack(file: string): Promise<{ contents: string[]; rows: Omit<Row, 'json'>[]; hashes: string[] }> {
  const kept = await openKeptRows(file, of);
  assert.ok(kept, 'what was kept is whole');
  try {
    const contents: string[] = [];
    let last = Buffer.alloc(hashBytes);
    for await (const bucket of kept.contentsByHash())
      for (const place of bucket.places) {
        const hash = Buffer.from(bucket.hashOf(place));
        assert.ok(Buffer.compare(last, hash) < 0, 'contents come in the order of their hashes');
        last = hash;
        const { start, end } = bucket.jsonOf(place);
        contents.push(bucket.bytes.toString('utf8', start, end));
      }
    const rows: Omit<Row, 'json'>[] = [];
    const hashes: string[] = [];
    for await (const records of kept.inOrder())
      for (let at = 0; at < records.length; at += rowRecordBytes) {
        const { split, isFirst } = rowAt(records, at);
        rows.push({ split, isFirst });
        hashes.push(hashAt(records, at).toString('hex'));
      }
    return { contents, rows, hashes };
  } finally {
    await kept.close();
  }
}

const splits = ['train', 'test', null] as const;
const rowsOf = (count: number, bytesOf: (n: number) => number): Row[] =>
  Array.from({ length: count }, (_, n) => ({
    json: JSON.stringify({ n: n % 3_000, text: 'é'.repeat(bytesOf(n % 3_000) / 2) }),
    split: splits[n % 3] ?? null,
    isFirst: n < 3_000,
  }));

const cases: [name: string, rows: Row[]][] = [
  ['no rows', []],
  ['few rows', rowsOf(3, () => 10)],
  ['more rows than pieces of memory', rowsOf(9_000, (n) => n * 10)],
  ['rows that are larger than a piece', rowsOf(40, () => 100_000)],
  ['rows of any size', rowsOf(3_100, (n) => (n % 50 === 0 ? 300_000 : n % 1_000))],
];

for (const [name, rows] of cases)
  test(`what is kept comes back: contents by their hashes, rows in order (${name})`, async () => {
    const { contents, rows: found, hashes } = await readBack(await keep(name.replaceAll(' ', '-'), rows));
    const expected = rows.filter(({ isFirst }) => isFirst).map(({ json }) => json);
    assert.deepEqual(contents.toSorted(), expected.toSorted());
    assert.deepEqual(
      found,
      rows.map(({ split, isFirst }) => ({ split, isFirst })),
    );
    assert.deepEqual(
      hashes,
      rows.map(({ json }) => createHash('sha256').update(json).digest('hex')),
    );
  });

test('a byte of a piece that is not as it was is found, wherever it is', async () => {
  const file = await keep(
    'spoiled',
    rowsOf(2_000, () => 500),
  );
  const handle = await open(file, 'r+');
  for (const at of [100, 64 * 1_024 + 7, 700_001]) {
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
    await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
    await assert.rejects(readBack(file), NotKept, `byte ${at}`);
    await handle.write(buffer, 0, 1, at);
  }
  await handle.close();
  await readBack(file);
});
