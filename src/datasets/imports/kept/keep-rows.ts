import { randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { isOurs } from './kept-files.ts';
import {
  buckets,
  contentHeadBytes,
  encodeIndex,
  hashBytes,
  type KeptOf,
  type Mark,
  type Piece,
  rowRecordBytes,
  rowsBucket,
  toMark,
} from './kept-format.ts';

/** A row that makes an example, as the survey has found it: its hash and its JSON stand somewhere in the bytes. */
export type RowToKeep = { row: number; bytes: Buffer; hashAt: number; jsonAt: number; jsonEnd: number } & Mark;

const pieceBytes = 1 << 16;
/** Written at once. */
const writeBytes = 1 << 20;
/** What waits for the disk before the survey does. */
const mostWaitingBytes = 16 << 20;
/** Pieces that wait for rows to be written into them. */
const mostFree = 64;
/** More is not kept: the import reads the file again. */
const mostBytes = 8 * 2 ** 30;

/**
 * Keeps the rows of a survey in a file of this machine, so that the import need not read and check them again. It is only a
 * help: where it cannot be written it is given up, and nothing fails.
 */
export class RowKeeper {
  readonly #file: string;
  readonly #draft: string;
  readonly #open = Array.from({ length: buckets + 1 }, () => ({ bytes: Buffer.alloc(0), used: 0 }));
  readonly #pieces: Piece[] = [];
  readonly #opening: Promise<FileHandle | null>;
  #writing: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  /** Memory of pieces that are written: the collector would be told of each. */
  readonly #free: Buffer<ArrayBuffer>[] = [];
  readonly #gathered: Buffer<ArrayBuffer>[] = [];
  #gatheredBytes = 0;
  #offset = 0;
  #valid = 0;
  #contents = 0;
  #isGivenUp = false;

  constructor(file: string) {
    this.#file = file;
    this.#draft = `${file}.${randomBytes(6).toString('hex')}.draft`;
    this.#opening = openDraft(this.#draft).catch(() => this.#giveUp());
  }

  keep(kept: RowToKeep): void {
    if (this.#isGivenUp) return;
    this.#valid++;
    const { bytes, jsonAt, jsonEnd } = kept;
    if (kept.isFirst) {
      const [into, at] = this.#room(bytes[kept.hashAt] ?? 0, contentHeadBytes + jsonEnd - jsonAt);
      const behind = into.writeUInt32LE(this.#contents++, writeHead(into, at, kept));
      bytes.copy(into, behind, jsonAt, jsonEnd);
    }
    const [into, at] = this.#room(rowsBucket, rowRecordBytes);
    writeHead(into, at, kept);
  }

  /** Waits where the disk is slower than the survey. */
  async settle(): Promise<void> {
    if (this.#waitingBytes > mostWaitingBytes) await this.#writing;
  }

  /** Puts the file into place; `rows`: of the file that was read. */
  async end(of: KeptOf & { rows: number }): Promise<void> {
    for (let bucket = 0; bucket <= buckets; bucket++) this.#flush(bucket);
    this.#writeGathered();
    await this.#writing;
    const handle = await this.#opening;
    if (handle === null || this.#isGivenUp) return this.discard();
    const index = encodeIndex({ ...of, valid: this.#valid, contents: this.#contents, pieces: this.#pieces });
    try {
      await handle.write(index, 0, index.length, this.#offset);
      await handle.close();
      await rename(this.#draft, this.#file);
    } catch {
      await this.discard();
    }
  }

  /** The survey came to nothing. */
  async discard(): Promise<void> {
    this.#isGivenUp = true;
    const handle = await this.#opening;
    await this.#writing;
    await handle?.close().catch(() => {});
    await rm(this.#draft, { force: true });
  }

  /** A place for so many bytes in a bucket. */
  #room(bucket: number, bytes: number): [into: Buffer, at: number] {
    const open = this.#open[bucket];
    if (!open) throw new Error('There is no such bucket. This is a bug.');
    if (open.used + bytes > open.bytes.length) {
      this.#flush(bucket);
      open.bytes =
        (bytes <= pieceBytes ? this.#free.pop() : null) ?? Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes));
    }
    const at = open.used;
    open.used += bytes;
    return [open.bytes, at];
  }

  #flush(bucket: number): void {
    const open = this.#open[bucket];
    if (!open || open.used === 0) return;
    const piece = open.bytes.subarray(0, open.used);
    open.bytes = Buffer.alloc(0);
    open.used = 0;
    this.#write(piece, [bucket, this.#offset, piece.length, crc32(piece)]);
  }

  #write(bytes: Buffer<ArrayBuffer>, piece: Piece): void {
    this.#pieces.push(piece);
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    this.#offset += bytes.length;
    if (this.#offset > mostBytes) this.#giveUp();
    if (this.#gatheredBytes >= writeBytes) this.#writeGathered();
  }

  /** Pieces lie one behind the other. */
  #writeGathered(): void {
    const bytes = this.#gatheredBytes;
    const gathered = this.#gathered.splice(0);
    const offset = this.#offset - bytes;
    this.#gatheredBytes = 0;
    this.#waitingBytes += bytes;
    this.#writing = this.#writing
      .then(async () => {
        if (!this.#isGivenUp) await (await this.#opening)?.writev(gathered, offset);
      })
      .catch(() => void this.#giveUp())
      .finally(() => {
        this.#waitingBytes -= bytes;
        for (const { buffer } of gathered)
          if (buffer.byteLength === pieceBytes && this.#free.length < mostFree) this.#free.push(Buffer.from(buffer));
      });
  }

  #giveUp(): null {
    this.#isGivenUp = true;
    return null;
  }
}

async function openDraft(draft: string): Promise<FileHandle> {
  const folder = path.dirname(draft);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await isOurs(folder))) throw new Error('This folder is not ours.');
  return open(draft, 'wx', 0o600);
}

function writeHead(into: Buffer, at: number, { row, bytes, hashAt, jsonAt, jsonEnd, ...mark }: RowToKeep): number {
  let next = at + bytes.copy(into, at, hashAt, hashAt + hashBytes);
  next = into.writeUInt32LE(jsonEnd - jsonAt, next);
  next = into.writeUInt32LE(row, next);
  return into.writeUInt8(toMark(mark), next);
}
