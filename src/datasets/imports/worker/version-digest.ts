import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { StorableExample } from '../../examples/new-examples.ts';
import { lineOf } from '../../versions/version-content.ts';
import { tokenStatsOf } from '../../versions/versions.store.ts';
import type { Summary } from '../../versions/versions.ts';

/** Examples are divided by the first byte of their hash: one part fits into memory, to be sorted there. */
const partCount = 256;
const maxPendingBytes = 64 * 1024;
const lengthBytes = 4;
const hashBytes = 32;

type Part = { pending: Buffer[]; pendingBytes: number; chunks: { offset: number; bytes: number }[] };

/**
 * The summary of a version that has these examples and no others. Its lines are sorted by hash in a temporary file, because
 * reading them back from the database takes as long as writing them.
 */
export class VersionDigest {
  readonly #file: string;
  readonly #handle: FileHandle;
  readonly #parts = Array.from({ length: partCount }, (): Part => ({ pending: [], pendingBytes: 0, chunks: [] }));
  #offset = 0;
  readonly #tokens: number[] = [];
  readonly #counts = { train: 0, test: 0 };

  private constructor(file: string, handle: FileHandle) {
    this.#file = file;
    this.#handle = handle;
  }

  static async create(tempDir: string): Promise<VersionDigest> {
    await mkdir(tempDir, { recursive: true, mode: 0o700 });
    const file = path.join(tempDir, 'version.lines');
    return new VersionDigest(file, await open(file, 'w+', 0o600));
  }

  async add(examples: readonly StorableExample[]): Promise<void> {
    for (const example of examples) {
      // A version has only valid ones.
      if (!example.valid) continue;
      this.#counts[example.split]++;
      if (example.tokens !== null) this.#tokens.push(example.tokens);
      const record = recordOf(example);
      const part = this.#partOf(example.hash);
      part.pending.push(record);
      part.pendingBytes += record.length;
      if (part.pendingBytes >= maxPendingBytes) await this.#write(part);
    }
  }

  async summary(): Promise<Summary> {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const part of this.#parts) {
      const records = splitRecords(await this.#read(part));
      // The hash, then the line, which ends with the split: the canonical order of a version.
      records.sort(Buffer.compare);
      for (const record of records) {
        hash.update(record.subarray(hashBytes));
        bytes += record.length - hashBytes;
      }
    }
    return {
      sha256: hash.digest('hex'),
      bytes: BigInt(bytes),
      trainCount: this.#counts.train,
      testCount: this.#counts.test,
      tokenStats: tokenStatsOf(Uint32Array.from(this.#tokens).sort()),
    };
  }

  async close(): Promise<void> {
    await this.#handle.close();
    await rm(this.#file, { force: true });
  }

  #partOf(hash: Buffer): Part {
    const part = this.#parts[hash.readUInt8(0)];
    if (!part) throw new Error('There is no such part. This is a bug.');
    return part;
  }

  async #write(part: Part): Promise<void> {
    const { pending, pendingBytes: bytes } = part;
    const offset = this.#offset;
    this.#offset += bytes;
    part.chunks.push({ offset, bytes });
    part.pending = [];
    part.pendingBytes = 0;
    await this.#handle.writev(pending, offset);
  }

  async #read({ chunks, pending, pendingBytes }: Part): Promise<Buffer> {
    const all = Buffer.allocUnsafe(chunks.reduce((sum, { bytes }) => sum + bytes, pendingBytes));
    let at = 0;
    for (const { offset, bytes } of chunks) {
      await this.#handle.read(all, at, bytes, offset);
      at += bytes;
    }
    for (const record of pending) at += record.copy(all, at);
    return all;
  }
}

/** Length of what follows, hash, line of the version. */
function recordOf(example: StorableExample): Buffer {
  const line = lineOf(example);
  const length = hashBytes + Buffer.byteLength(line);
  const record = Buffer.allocUnsafe(lengthBytes + length);
  record.writeUInt32LE(length);
  example.hash.copy(record, lengthBytes);
  record.write(line, lengthBytes + hashBytes);
  return record;
}

function splitRecords(all: Buffer): Buffer[] {
  const records: Buffer[] = [];
  for (let at = 0; at < all.length; ) {
    const end = at + lengthBytes + all.readUInt32LE(at);
    records.push(all.subarray(at + lengthBytes, end));
    at = end;
  }
  return records;
}
