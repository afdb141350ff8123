import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import type { ObjectStore } from '#objects';

type Store = Pick<ObjectStore, 'get' | 'size'>;
type Entry = { name: string; crc: number; sizeBytes: number; headerAt: number };

/** A ZIP archive ends with a record of this length when it has no comment, as ours. */
const endBytes = 22;
const entryBytes = 46;
const headerBytes = 30;

/**
 * Writes some files of an archive of ours (`packFiles`: nothing compressed, no comment) into a folder. Only what is needed is read
 * from the store, and compared with its checksum.
 */
export async function unpackFiles(
  store: Store,
  { key, names, folder }: { key: string; names: readonly string[]; folder: string },
): Promise<void> {
  const entries = await readEntries(store, key);
  for (const name of names) {
    const entry = entries.find((each) => each.name === name);
    if (!entry) throw new Error(`The archive ${key} has no ${name}.`);
    await unpackOne(store, { key, entry, path: join(folder, name) });
  }
}

async function readEntries(store: Store, key: string): Promise<Entry[]> {
  const size = await store.size(key);
  if (size === null || size < endBytes) throw new Error(`${key} is no archive.`);
  const end = await read(store, key, { start: size - endBytes, length: endBytes });
  if (end.readUInt32LE(0) !== 0x06054b50) throw new Error(`${key} is no archive of Fanfold.`);
  const directory = await read(store, key, { start: end.readUInt32LE(16), length: end.readUInt32LE(12) });
  const entries: Entry[] = [];
  for (let at = 0; at + entryBytes <= directory.length; ) {
    const entry = directory.subarray(at);
    const nameBytes = entry.readUInt16LE(28);
    const name = entry.toString('utf8', entryBytes, entryBytes + nameBytes);
    const method = entry.readUInt16LE(10);
    if (method !== 0) throw new Error(`${name} of ${key} is compressed.`);
    const [crc, sizeBytes, headerAt] = [entry.readUInt32LE(16), entry.readUInt32LE(24), entry.readUInt32LE(42)];
    entries.push({ name, crc, sizeBytes, headerAt });
    const [extraBytes, commentBytes] = [entry.readUInt16LE(30), entry.readUInt16LE(32)];
    at += entryBytes + nameBytes + extraBytes + commentBytes;
  }
  return entries;
}

async function unpackOne(
  store: Store,
  { key, entry, path }: { key: string; entry: Entry; path: string },
): Promise<void> {
  const { name, sizeBytes, headerAt } = entry;
  const header = await read(store, key, { start: headerAt, length: headerBytes });
  const start = headerAt + headerBytes + header.readUInt16LE(26) + header.readUInt16LE(28);
  let crc = 0;
  let bytes = 0;
  const source = await store.get(key, { start, end: start + sizeBytes - 1 });
  await pipeline(
    source,
    async function* (pieces: AsyncIterable<Buffer>) {
      for await (const piece of pieces) {
        crc = crc32(piece, crc);
        bytes += piece.length;
        yield piece;
      }
    },
    createWriteStream(path),
  );
  if (bytes !== sizeBytes || crc !== entry.crc) throw new Error(`${name} of ${key} is damaged.`);
}

async function read(store: Store, key: string, { start, length }: { start: number; length: number }): Promise<Buffer> {
  return await buffer(await store.get(key, { start, end: start + length - 1 }));
}
