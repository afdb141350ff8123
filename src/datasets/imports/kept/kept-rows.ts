import { type FileHandle, open } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { isOurs } from './kept-files.ts';
import {
  buckets,
  contentHeadBytes,
  endBytes,
  hashBytes,
  type KeptIndex,
  type KeptOf,
  type Mark,
  type Piece,
  readEnd,
  readMark,
  rowRecordBytes,
  rowsBucket,
} from './kept-format.ts';

/** The kept rows cannot be used after all; the file that they are of can. */
export class NotKept extends Error {
  override readonly name = 'NotKept';
}

/** A row that makes an example. */
export type KeptRow = { row: number; hash: Buffer; bytes: number } & Mark;
/** A row whose content is the first of its kind, with its canonical JSON. */
export type KeptContent = KeptRow & { json: Buffer };

export type KeptRows = Pick<KeptIndex, 'rows' | 'valid' | 'contents'> & {
  /** Some at a time, sorted by their hashes. Throws `NotKept`. */
  contentsByHash: () => AsyncGenerator<KeptContent[]>;
  /** Some at a time, in the order of the file. Throws `NotKept`. */
  inOrder: () => AsyncGenerator<KeptRow[]>;
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
      for (let bucket = 0; bucket < buckets; bucket++) {
        const parts = await Promise.all((piecesOf[bucket] ?? []).map((piece) => readPiece(handle, piece)));
        yield parts.flatMap(contentsOf).sort((one, other) => one.hash.compare(other.hash));
      }
    },
    async *inOrder() {
      for (const piece of piecesOf[rowsBucket] ?? []) yield rowsOf(await readPiece(handle, piece));
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

async function readPiece(handle: FileHandle, [, offset, bytes, checksum]: Piece): Promise<Buffer> {
  const piece = await readAt(handle, offset, bytes);
  if (crc32(piece) !== checksum) throw new NotKept('The kept rows are not as they were written.');
  return piece;
}

async function readAt(handle: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const into = Buffer.allocUnsafeSlow(bytes);
  for (let read = 0; read < bytes; ) {
    const { bytesRead } = await handle.read(into, read, bytes - read, offset + read);
    if (bytesRead === 0) throw new NotKept('The kept rows end too early.');
    read += bytesRead;
  }
  return into;
}

function contentsOf(piece: Buffer): KeptContent[] {
  const contents: KeptContent[] = [];
  for (let at = 0; at < piece.length; ) {
    const row = rowAt(piece, at);
    const json = piece.subarray(at + contentHeadBytes, at + contentHeadBytes + row.bytes);
    contents.push({ ...row, json });
    at += contentHeadBytes + row.bytes;
  }
  return contents;
}

function rowsOf(piece: Buffer): KeptRow[] {
  return Array.from({ length: piece.length / rowRecordBytes }, (_, index) => rowAt(piece, index * rowRecordBytes));
}

function rowAt(piece: Buffer, at: number): KeptRow {
  return {
    hash: piece.subarray(at, at + hashBytes),
    bytes: piece.readUInt32LE(at + hashBytes),
    row: piece.readUInt32LE(at + hashBytes + 4),
    ...readMark(piece[at + hashBytes + 8] ?? 0),
  };
}
