import { crc32 } from 'node:zlib';

/*
 * Rows that a survey keeps for the import: pieces in any order, then an index of them, then its length, its checksum and
 * a word that says that the file is whole. Contents are divided among buckets by the beginning of their hash, so that an
 * import can take them in the order of a version without more memory than one bucket takes.
 */
export const buckets = 256;
/** The bucket of the short records of all rows, in the order of the file. */
export const rowsBucket = buckets;

export const hashBytes = 32;
/** Behind hash, bytes of the content, row of the file and mark: what a split is drawn from. */
export const drawnAt = hashBytes + 4 + 4 + 1;
export const drawnBytes = 4;
export const rowRecordBytes = drawnAt + drawnBytes;
/** The same in front of each content, and how many contents the file has before it. */
export const contentHeadBytes = rowRecordBytes + 4;

/** What a row says of its split, and whether its content is the first of its kind in the file. */
export type Mark = { split: 'train' | 'test' | null; isFirst: boolean };

/** A row that makes an example. */
export type KeptRow = { row: number; bytes: number } & Mark;

const splitMarks = { train: 1, test: 2 } as const;
const firstMark = 4;

export function toMark({ split, isFirst }: Mark): number {
  return (split === null ? 0 : splitMarks[split]) | (isFirst ? firstMark : 0);
}

export function readMark(mark: number): Mark {
  const split = mark & 3;
  return { split: split === 1 ? 'train' : split === 2 ? 'test' : null, isFirst: (mark & firstMark) !== 0 };
}

/** What rows were kept of: an import takes them only if they are of its own reading. */
export type KeptOf = { importId: string; reading: number; sha256: string; mapping: string };

export type Piece = [bucket: number, offset: number, bytes: number, checksum: number];

export type KeptIndex = KeptOf & {
  /** Of the file, and those of them that make an example. */
  rows: number;
  valid: number;
  contents: number;
  /** Most pieces went past the system's memory, because the disk was quick enough for it. */
  isOnDisk: boolean;
  /** Each begins at a block. */
  pieces: Piece[];
};

const whole = Buffer.from('kept4\n');
export const endBytes = 8 + whole.length;

export function encodeIndex(index: KeptIndex): Buffer {
  const text = Buffer.from(JSON.stringify(index));
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32LE(text.length, 0);
  numbers.writeUInt32LE(crc32(text), 4);
  return Buffer.concat([text, numbers, whole]);
}

/** Length and checksum of the index; null: the file is not whole. */
export function readEnd(end: Buffer): { bytes: number; checksum: number } | null {
  if (end.length !== endBytes || !end.subarray(8).equals(whole)) return null;
  return { bytes: end.readUInt32LE(0), checksum: end.readUInt32LE(4) };
}
