import { readSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ContentBucket } from './content-bucket.ts';
import { isOurs } from './kept-files.ts';
import { buckets, endBytes, type KeptIndex, type KeptOf, type Piece, readEnd, rowsBucket } from './kept-format.ts';

/** The kept rows cannot be used after all; the file that they are of can. */
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
  return {
    ...{ rows, valid, contents },
    async *contentsByHash() {
      const read = bucketReader(handle);
      for (let bucket = 0; bucket < buckets; bucket++) yield new ContentBucket(read(piecesOf[bucket] ?? []));
    },
    async *inOrder() {
      const read = bucketReader(handle);
      for (const piece of piecesOf[rowsBucket] ?? []) yield read([piece]);
    },
    close: () => handle.close(),
  };
}

function isOf(index: KeptIndex, of: KeptOf): boolean {
  return (['importId', 'reading', 'sha256', 'mapping'] as const).every((name) => index[name] === of[name]);
}

async function readIndex(handle: FileHandle): Promise<KeptIndex | null> {
  const { size } = await handle.stat();
  if (size < endBytes) return null;
  const end = readEnd(readAt(handle, size - endBytes, endBytes));
  if (end === null || end.bytes > size - endBytes) return null;
  const text = readAt(handle, size - endBytes - end.bytes, end.bytes);
  // as: the checksum says that it is as the keeper has written it.
  return crc32(text) === end.checksum ? (JSON.parse(text.toString()) as KeptIndex) : null;
}

function byBucket(pieces: readonly Piece[]): Piece[][] {
  const sorted: Piece[][] = Array.from({ length: buckets + 1 }, () => []);
  for (const piece of pieces) sorted[piece[0]]?.push(piece);
  return sorted;
}

/** Reads pieces one behind the other into memory that is used again: what the system gives anew it has to clear. */
function bucketReader(handle: FileHandle): (pieces: readonly Piece[]) => Buffer {
  let memory = Buffer.alloc(0);
  return (pieces) => {
    const bytes = pieces.reduce((sum, [, , piece]) => sum + piece, 0);
    if (bytes > memory.length) memory = Buffer.allocUnsafeSlow(bytes + (bytes >> 3));
    let at = 0;
    for (const [, offset, size, checksum] of pieces) {
      const piece = memory.subarray(at, at + size);
      readInto(handle, piece, offset);
      if (crc32(piece) !== checksum) throw new NotKept('The kept rows are not as they were written.');
      at += size;
    }
    return memory.subarray(0, bytes);
  };
}

function readAt(handle: FileHandle, offset: number, bytes: number): Buffer {
  const into = Buffer.allocUnsafeSlow(bytes);
  readInto(handle, into, offset);
  return into;
}

/** Written a moment ago for the most part, and still in memory: to wait for each piece takes longer than to read it. */
function readInto({ fd }: FileHandle, into: Buffer, offset: number): void {
  for (let read = 0; read < into.length; ) {
    const bytesRead = readSync(fd, into, read, into.length - read, offset + read);
    if (bytesRead === 0) throw new NotKept('The kept rows end too early.');
    read += bytesRead;
  }
}
