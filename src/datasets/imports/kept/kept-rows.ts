import { constants, read as readFile } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { ContentBucket, type Part } from './content-bucket.ts';
import { isOurs } from './kept-files.ts';
import { buckets, endBytes, type KeptIndex, type KeptOf, type Piece, readEnd, rowsBucket } from './kept-format.ts';
import { blockBytes, blockMemory, openPastMemory, wholeBlocks } from './past-memory.ts';

/** Thrown when kept rows turn out to be unusable. The import can still read the uploaded file. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

export type KeptRows = Pick<KeptIndex, 'rows' | 'valid' | 'contents'> & {
  /** The contents that are the first of their kind, some at a time, sorted by their hashes. Throws `NotKept`. */
  contentsByHash: () => AsyncGenerator<ContentBucket>;
  /** Records of all rows, some at a time, in the order of the file. Throws `NotKept`. */
  inOrder: () => AsyncGenerator<Buffer>;
  close: () => Promise<void>;
};

/** Opens what a survey has kept; null: there is nothing that is whole and of this reading. */
export async function openKeptRows(file: string, of: KeptOf): Promise<KeptRows | null> {
  const isTrusted = await isOurs(path.dirname(file)).catch(() => false);
  const handle = isTrusted ? await open(file).catch(() => null) : null;
  if (handle === null) return null;
  const index = await readIndex(handle).catch(() => null);
  if (index === null || !isOf(index, of)) {
    await handle.close();
    return null;
  }
  const { rows, valid, contents, pieces } = index;
  const piecesOf = byBucket(pieces);
  const contentsPieces = piecesOf.slice(0, buckets);
  const rowsPieces = (piecesOf[rowsBucket] ?? []).map((piece) => [piece]);
  const direct = index.isOnDisk ? await openPastMemory(file, constants.O_RDONLY, attemptRead) : null;
  const { fd } = direct ?? handle;
  return {
    ...{ rows, valid, contents },
    async *contentsByHash() {
      for await (const { bytes, parts } of readAhead(fd, contentsPieces)) yield new ContentBucket(bytes, parts);
    },
    async *inOrder() {
      for await (const { bytes, parts } of readAhead(fd, rowsPieces))
        for (const { start, end } of parts) yield bytes.subarray(start, end);
    },
    async close() {
      await direct?.close();
      await handle.close();
    },
  };
}

function isOf(index: KeptIndex, of: KeptOf): boolean {
  return (['importId', 'reading', 'sha256', 'mapping'] as const).every((name) => index[name] === of[name]);
}

async function readIndex(handle: FileHandle): Promise<KeptIndex | null> {
  const { size } = await handle.stat();
  if (size < endBytes) return null;
  const end = readEnd(await readAt(handle, size - endBytes, endBytes));
  if (end === null || end.bytes > size - endBytes) return null;
  const text = await readAt(handle, size - endBytes - end.bytes, end.bytes);
  // as: the checksum says that it is as the keeper has written it.
  return crc32(text) === end.checksum ? (JSON.parse(text.toString()) as KeptIndex) : null;
}

function byBucket(pieces: readonly Piece[]): Piece[][] {
  const sorted: Piece[][] = Array.from({ length: buckets + 1 }, () => []);
  for (const piece of pieces) sorted[piece[0]]?.push(piece);
  return sorted;
}

async function attemptRead(direct: FileHandle): Promise<void> {
  await direct.read(roomFor(blockBytes), 0, blockBytes, 0);
}

/** Where the pieces of a group lie, until the next but one is asked for. */
type ReadGroup = { bytes: Buffer; parts: Part[] };

/** Reads group after group of pieces, the next one while the one before is in use, into memory that is used again. */
async function* readAhead(fd: number, groups: readonly Piece[][]): AsyncGenerator<ReadGroup> {
  const largest = Math.max(0, ...groups.map(blocksOf));
  const memory = [roomFor(largest), roomFor(largest)];
  const begin = (group: number) => {
    const reading = readGroup(fd, groups[group] ?? [], memory[group % 2] ?? Buffer.alloc(0));
    // It is waited for later, or never.
    reading.catch(() => {});
    return reading;
  };
  let next = begin(0);
  try {
    for (let group = 0; group < groups.length; group++) {
      const read = await next;
      next = begin(group + 1);
      yield read;
    }
  } finally {
    // The file is closed after that.
    await next.catch(() => {});
  }
}

const blocksOf = (pieces: readonly Piece[]) => pieces.reduce((sum, [, , bytes]) => sum + wholeBlocks(bytes), 0);
const roomFor = (bytes: number) => blockMemory(bytes) ?? Buffer.allocUnsafeSlow(bytes);

async function readGroup(fd: number, pieces: readonly Piece[], bytes: Buffer): Promise<ReadGroup> {
  let free = 0;
  const parts = pieces.map(([, , size]) => {
    const start = free;
    free += wholeBlocks(size);
    return { start, end: start + size };
  });
  // Never rejects: all of them are over before the file may be closed.
  const isWhole = async ({ start, end }: Part, n: number) => {
    const [, offset = 0, size = 0, checksum] = pieces[n] ?? [];
    const into = bytes.subarray(start, start + wholeBlocks(size));
    return (await readInto(fd, into, { offset, size })) && crc32(bytes.subarray(start, end)) === checksum;
  };
  const areWhole = await Promise.all(parts.map(isWhole));
  if (areWhole.includes(false)) throw new NotKept('The kept rows are not as they were written.');
  return { bytes, parts };
}

async function readAt(handle: FileHandle, offset: number, size: number): Promise<Buffer> {
  const into = Buffer.allocUnsafeSlow(size);
  if (await readInto(handle.fd, into, { offset, size })) return into;
  throw new NotKept('The kept rows cannot be read.');
}

const readSome = promisify(readFile);
const nothing = { bytesRead: 0 };

/**
 * Reads at least `size` bytes into `into`, and more as far as the file and `into` go. False: the file has fewer, or
 * cannot be read.
 */
async function readInto(
  fd: number,
  into: Buffer,
  { offset, size }: { offset: number; size: number },
): Promise<boolean> {
  for (let read = 0; read < size; ) {
    const { bytesRead } = await readSome(fd, into, read, into.length - read, offset + read).catch(() => nothing);
    if (bytesRead === 0) return false;
    read += bytesRead;
  }
  return true;
}
