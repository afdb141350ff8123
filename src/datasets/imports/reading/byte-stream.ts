import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { checkTextBytes } from './growth.ts';

/** The bytes of a file as they come, counted and digested on the way. */
export type ByteStream = {
  chunks: AsyncIterable<Buffer>;
  /** So far. */
  bytes: () => number;
  /** Reads what is left; the digest of all. */
  finish: () => Promise<string>;
};

export function digestingStream(source: Readable): ByteStream {
  const hash = createHash('sha256');
  // An error of a destroyed stream that nobody reads any more would otherwise end the process.
  source.on('error', () => {});
  let bytes = 0;
  const iterator = source.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      hash.update(next.value);
      bytes += next.value.length;
      yield next.value;
    }
  }
  return {
    chunks: chunks(),
    bytes: () => bytes,
    async finish() {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
        hash.update(next.value);
        bytes += next.value.length;
      }
      return hash.digest('hex');
    },
  };
}

/** The first bytes of a stream, and a stream of all its bytes, these included. */
export async function peek(
  source: AsyncIterable<Buffer>,
  wantedBytes: number,
): Promise<{ sample: Buffer; chunks: AsyncIterable<Buffer> }> {
  const iterator = source[Symbol.asyncIterator]();
  const seen: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  while (bytes < wantedBytes && !isOver) {
    const next = await iterator.next();
    if (next.done) isOver = true;
    else {
      seen.push(next.value);
      bytes += next.value.length;
    }
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* seen.splice(0);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { sample: Buffer.concat(seen).subarray(0, wantedBytes), chunks: chunks() };
}

/** Passes bytes on until there are too many. */
export async function* bounded(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    checkTextBytes(bytes, maxBytes);
    yield chunk;
  }
}
