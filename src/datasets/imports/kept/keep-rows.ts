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
  rowsBucket,
  toMark,
} from './kept-format.ts';

/**
 * A row that makes an example, as the survey has found it: `at` a place of the bytes stands its hash, behind that room for the
 * rest of a head (`kept-format.ts`), which is written there, and then its JSON, up to the end.
 */
export type RowToKeep = { row: number; bytes: Buffer; at: number; end: number } & Mark;

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

  keep({ row, bytes, at, end, split, isFirst }: RowToKeep): void {
    if (this.#isGivenUp) return;
    this.#valid++;
    const jsonBytes = end - at - contentHeadBytes;
    let next = bytes.writeUInt32LE(jsonBytes, at + hashBytes);
    next = bytes.writeUInt32LE(row, next);
    next = bytes.writeUInt8(toMark({ split, isFirst }), next);
    if (isFirst) {
      bytes.writeUInt32LE(this.#contents++, next);
      this.#add(bytes[at] ?? 0, bytes, at, end);
    }
    this.#add(rowsBucket, bytes, at, next);
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

  #add(bucket: number, from: Buffer, at: number, end: number): void {
    const open = this.#open[bucket];
    if (!open) throw new Error('There is no such bucket. This is a bug.');
    const bytes = end - at;
    if (open.used + bytes > open.bytes.length) {
      this.#flush(bucket);
      open.bytes =
        (bytes <= pieceBytes ? this.#free.pop() : null) ?? Buffer.allocUnsafeSlow(Math.max(pieceBytes, bytes));
    }
    from.copy(open.bytes, open.used, at, end);
    open.used += bytes;
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
