import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Database } from '#db';
import { fault, newId } from '#kernel';
import type { ObjectStore } from '#objects';
import { acceptPart, deletePart, insertPart } from '../import-parts.store.ts';
import type { ImportRecord } from '../import-record.ts';
import { findImport } from '../imports.store.ts';
import { type ContentRange, wrongSize } from './content-range.ts';

/** Bytes of a part at most: what is lost when a server dies while it receives, and what S3 takes in one request. */
const partBytes = 16 * 1024 * 1024;
/** A part is closed after this time, however slowly it comes. */
const partMs = 5 * 60_000;

export type ReceiveDeps = { database: Database; objects: ObjectStore };

export type Received = {
  receivedBytes: number;
  /** Of the whole file, where one request has brought all of it; else null. */
  sha256: string | null;
};

/**
 * Stores what comes, part by part. Each part counts as soon as it is stored, so what a broken connection has brought stays,
 * and the next request goes on from `received_bytes`. Of two requests that bring the same bytes, one part counts.
 */
export async function receive(
  deps: ReceiveDeps,
  record: ImportRecord,
  { range, chunks }: { range: ContentRange; chunks: AsyncIterable<Buffer> },
): Promise<Received> {
  if (range.start > record.receivedBytes) throw gap(record.receivedBytes);
  const source = new PartSource(chunks, { ...range, fromByte: record.receivedBytes });
  const hash = range.start === 0 && record.receivedBytes === 0 ? createHash('sha256') : null;
  let { receivedBytes } = record;
  while (await source.hasMore()) {
    const grown = await storePart(deps, record, { source, hash });
    if (grown === null) return overtaken(deps, record, source.position);
    receivedBytes = grown;
  }
  const isWhole = hash !== null && receivedBytes === record.sizeBytes;
  return { receivedBytes, sha256: isWhole ? hash.digest('hex') : null };
}

type Part = { source: PartSource; hash: Hash | null };

/** How far the file has arrived with this part; null: another request was quicker. */
async function storePart(
  { database, objects }: ReceiveDeps,
  { id: importId }: ImportRecord,
  { source, hash }: Part,
): Promise<number | null> {
  const firstByte = source.position;
  const key = `imports/${importId}/part-${firstByte}-${newId('imp').slice(4)}`;
  await insertPart(database, { key, importId, firstByte });
  const { bytes } = await objects.put(key, Readable.from(source.nextPart(hash)));
  if (await acceptPart(database, { importId, key, firstByte, bytes })) return firstByte + bytes;
  await objects.remove(key);
  await deletePart(database, key);
  return null;
}

/** Another request has brought these bytes, or the upload is over. */
async function overtaken({ database }: ReceiveDeps, record: ImportRecord, position: number): Promise<Received> {
  const now = await findImport(database, record);
  if (!now || (now.state === 'awaiting_upload' && now.receivedBytes < position)) throw gap(now?.receivedBytes ?? 0);
  return { receivedBytes: now.receivedBytes, sha256: null };
}

function gap(receivedBytes: number) {
  return fault('state_conflict', {
    message: `The file has arrived up to byte ${receivedBytes}. Go on from there.`,
    details: { reason: 'range_gap', received_bytes: receivedBytes },
  });
}

class PartSource {
  readonly #iterator: AsyncIterator<Buffer>;
  readonly #end: number;
  #toSkip: number;
  #pending: Buffer | null = null;
  #position: number;

  constructor(chunks: AsyncIterable<Buffer>, { start, end, fromByte }: ContentRange & { fromByte: number }) {
    this.#iterator = chunks[Symbol.asyncIterator]();
    this.#end = end;
    this.#toSkip = fromByte - start;
    this.#position = Math.max(start, fromByte);
  }

  get position(): number {
    return this.#position;
  }

  async hasMore(): Promise<boolean> {
    while (this.#pending === null) {
      const next = await this.#iterator.next();
      if (next.done) return false;
      const skipped = Math.min(this.#toSkip, next.value.length);
      this.#toSkip -= skipped;
      if (skipped < next.value.length) this.#pending = next.value.subarray(skipped);
    }
    return true;
  }

  async *nextPart(hash: Hash | null): AsyncGenerator<Buffer> {
    const untilMs = performance.now() + partMs;
    for (let bytes = 0; bytes < partBytes && performance.now() < untilMs && (await this.hasMore()); ) {
      const chunk = this.#take();
      bytes += chunk.length;
      hash?.update(chunk);
      yield chunk;
    }
  }

  #take(): Buffer {
    const chunk = this.#pending ?? Buffer.alloc(0);
    this.#pending = null;
    if (this.#position + chunk.length > this.#end) throw wrongSize(this.#position + chunk.length, this.#end);
    this.#position += chunk.length;
    return chunk;
  }
}
