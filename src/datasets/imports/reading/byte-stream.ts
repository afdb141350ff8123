import { createHash } from 'node:crypto';
import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ImportFailure } from './import-failure.ts';
import { checkGrowth, checkTextBytes } from './read-limits.ts';

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
      for await (const _ of chunks());
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
  const read: Buffer[] = [];
  let bytes = 0;
  let isOver = false;
  while (bytes < wantedBytes && !isOver) {
    const next = await iterator.next();
    if (next.done) isOver = true;
    else {
      read.push(next.value);
      bytes += next.value.length;
    }
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    try {
      yield* read.splice(0);
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return { sample: Buffer.concat(read).subarray(0, wantedBytes), chunks: chunks() };
}

export async function* bounded(chunks: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    checkTextBytes(bytes, maxBytes);
    yield chunk;
  }
}

/** Up to this size any ratio of compression is allowed. */
const freeBytes = 16 * 1024 * 1024;

/** Decompresses a stream. Throws when it grows far more than real text does. */
export async function* gunzip(source: Readable, { packedBytes }: { packedBytes: number }): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: 128 * 1024 });
  // The error reaches the loop below.
  pipeline(source, unpacked, () => {});
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      checkGrowth(bytes, { packedBytes, freeBytes, hint: 'Upload it without compression.' });
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error)
      ? new ImportFailure('bad_compression', 'The file cannot be unpacked: it is not whole, or not gzip.')
      : error;
  } finally {
    unpacked.destroy();
  }
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_ZLIB)/.test(String(error.code));
}
