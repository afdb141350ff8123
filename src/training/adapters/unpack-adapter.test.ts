import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { packFiles, unpackFiles } from './adapter-archive.ts';

const root = mkdtempSync(join(tmpdir(), 'fanfold-unpack-'));
after(() => rmSync(root, { recursive: true, force: true }));

const files = {
  'a.json': Buffer.from('{"a": 1}'),
  'weights.bin': Buffer.alloc(300_000, 7),
  'größe.txt': Buffer.from('ü'),
};
const pack = () =>
  buffer(
    packFiles(
      Object.entries(files).map(([name, bytes]) => ({
        name,
        sizeBytes: bytes.length,
        open: async () => Readable.from([bytes]),
      })),
    ),
  );
const storeOf = (archive: Buffer) => ({
  size: async () => archive.length,
  get: async (_key: string, range?: { start: number; end: number }) =>
    Readable.from([range ? archive.subarray(range.start, range.end + 1) : archive]),
});
const into = () => mkdtempSync(join(root, 'case-'));

test('single files come out of an archive of ours as they went in, whatever their place', async () => {
  const store = storeOf(await pack());
  const folder = into();
  await unpackFiles(store, { key: 'x', names: ['größe.txt', 'weights.bin', 'a.json'], folder });
  for (const [name, bytes] of Object.entries(files)) assert.deepEqual(readFileSync(join(folder, name)), bytes);
});

test('a damaged byte, a file that is not there and what is no archive are refused', async () => {
  const archive = await pack();
  const spoilt = Buffer.from(archive);
  spoilt[1_000] = 8;
  const unpack = (bytes: Buffer, name: string) =>
    unpackFiles(storeOf(bytes), { key: 'x', names: [name], folder: into() });
  await assert.rejects(unpack(spoilt, 'weights.bin'), /weights\.bin of x is damaged/);
  await assert.rejects(unpack(archive, 'b.json'), /has no b\.json/);
  await assert.rejects(unpack(archive.subarray(0, 1_000), 'a.json'), /no archive/);
  await assert.rejects(unpack(Buffer.from('PK'), 'a.json'), /no archive/);
});
