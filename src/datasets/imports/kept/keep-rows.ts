import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { isOurs } from './kept-files.ts';
import {
  buckets,
  contentHeadBytes,
  drawnBytes,
  encodeIndex,
  hashBytes,
  type KeptOf,
  type Mark,
  type Piece,
  rowsBucket,
  toMark,
} from './kept-format.ts';
import { blockBytes, openPastMemory, wholeBlocks } from './past-memory.ts';
import { PieceMemory } from './piece-memory.ts';

/**
 * A row that makes an example, as the survey has found it: `at` a place of the bytes stands its hash and at `drawnAt` what its
 * split is drawn from, with room for the rest of a head (`kept-format.ts`), which is written there, and then its JSON, up to the end.
 */
export type RowToKeep = { row: number; bytes: Buffer; at: number; end: number } & Mark;

/** Written at once. */
const writeBytes = 1 << 20;
/**
 * Pieces that wait for the disk, beside the one that each bucket is filling: as many as a disk writes while the next
 * ones are filled.
 */
const piecesUnderWay = 64;
/** With more than this waiting for the disk, the survey waits too. */
const mostWaitingBytes = 16 << 20;
/** Larger surveys are not kept; their import reads the file again. */
const mostBytes = 8 * 2 ** 30;

/**
 * Keeps the rows of a survey in a file on this machine, so that the import need not read and check them again. This
 * only saves time: if the file cannot be written, nothing is kept and nothing fails.
 */
export class RowKeeper {
  readonly #file: string;
  readonly #draft: string;
  readonly #open = Array.from({ length: buckets + 1 }, () => ({ bytes: Buffer.alloc(0), used: 0 }));
  readonly #memory = new PieceMemory(buckets + 1 + piecesUnderWay);
  readonly #pieces: Piece[] = [];
  readonly #opening: Promise<Draft | null>;
  #cachedBytes = 0;
  #writing: Promise<void> = Promise.resolve();
  #waitingBytes = 0;
  readonly #gathered: Buffer<ArrayBuffer>[] = [];
  #gatheredBytes = 0;
  #offset = 0;
  #valid = 0;
  #contents = 0;
  #isGivenUp = false;

  constructor(file: string) {
    this.#file = file;
    this.#draft = `${file}.${randomBytes(6).toString('hex')}.draft`;
    this.#opening = openDraft(this.#draft, this.#memory).catch(() => this.#giveUp());
  }

  keep({ row, bytes, at, end, split, isFirst }: RowToKeep): void {
    if (this.#isGivenUp) return;
    this.#valid++;
    const jsonBytes = end - at - contentHeadBytes;
    let next = bytes.writeUInt32LE(jsonBytes, at + hashBytes);
    next = bytes.writeUInt32LE(row, next);
    next = bytes.writeUInt8(toMark({ split, isFirst }), next) + drawnBytes;
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
    const draft = await this.#opening;
    if (draft === null || this.#isGivenUp) return this.discard();
    const isOnDisk = this.#cachedBytes < this.#offset / 8;
    const found = { valid: this.#valid, contents: this.#contents, pieces: this.#pieces };
    const index = encodeIndex({ ...of, ...found, isOnDisk });
    try {
      await draft.handle.write(index, 0, index.length, this.#offset);
      await closeDraft(draft);
      await rename(this.#draft, this.#file);
    } catch {
      await this.discard();
    }
  }

  /** Closes and removes the file: the survey failed or was canceled. */
  async discard(): Promise<void> {
    this.#isGivenUp = true;
    const draft = await this.#opening;
    await this.#writing;
    if (draft) await closeDraft(draft).catch(() => {});
    await rm(this.#draft, { force: true });
  }

  #add(bucket: number, from: Buffer, at: number, end: number): void {
    const open = this.#open[bucket];
    if (!open) throw new Error('There is no such bucket. This is a bug.');
    const bytes = end - at;
    if (open.used + bytes > open.bytes.length) {
      this.#flush(bucket);
      open.bytes = this.#memory.take(bytes);
    }
    from.copy(open.bytes, open.used, at, end);
    open.used += bytes;
  }

  #flush(bucket: number): void {
    const open = this.#open[bucket];
    if (!open || open.used === 0) return;
    const { bytes, used } = open;
    open.bytes = Buffer.alloc(0);
    open.used = 0;
    this.#pieces.push([bucket, this.#offset, used, crc32(bytes.subarray(0, used))]);
    this.#write(bytes.subarray(0, wholeBlocks(used)).fill(0, used));
  }

  #write(blocks: Buffer<ArrayBuffer>): void {
    this.#gathered.push(blocks);
    this.#gatheredBytes += blocks.length;
    this.#offset += blocks.length;
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
      .then(() => this.#writeTo(gathered, offset))
      .catch(() => void this.#giveUp())
      .finally(() => {
        this.#waitingBytes -= bytes;
        for (const piece of gathered) this.#memory.giveBack(piece);
      });
  }

  async #writeTo(gathered: Buffer<ArrayBuffer>[], offset: number): Promise<void> {
    const draft = await this.#opening;
    if (this.#isGivenUp || draft === null) return;
    const direct = gathered.every((piece) => this.#memory.canPassBy(piece)) ? draft.direct : null;
    const { bytesWritten } = await (direct ?? draft.handle).writev(gathered, offset);
    if (direct === null) this.#cachedBytes += bytesWritten;
  }

  #giveUp(): null {
    this.#isGivenUp = true;
    return null;
  }
}

/** The file is opened twice; `direct` writes past the page cache, where that is possible. */
type Draft = { handle: FileHandle; direct: FileHandle | null };

async function openDraft(draft: string, { blocks }: PieceMemory): Promise<Draft> {
  const folder = path.dirname(draft);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await isOurs(folder))) throw new Error('This folder is not ours.');
  const handle = await open(draft, 'wx', 0o600);
  if (blocks === null) return { handle, direct: null };
  const attempt = (direct: FileHandle) => direct.write(blocks, 0, blockBytes, 0);
  const direct = await openPastMemory(draft, constants.O_WRONLY, attempt);
  await handle.truncate();
  return { handle, direct };
}

async function closeDraft({ handle, direct }: Draft): Promise<void> {
  await direct?.close();
  await handle.close();
}
