import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { checkGrowth } from './growth.ts';
import { ImportFailure } from './import-failure.ts';

/** Up to this size any ratio is allowed. */
const freeBytes = 16 * 1024 * 1024;
const hint = 'Upload it without compression.';

/** Decompresses a stream. Throws when it grows far more than real text does. */
export async function* gunzip(source: Readable, { packedBytes }: { packedBytes: number }): AsyncGenerator<Buffer> {
  const unpacked = createGunzip({ chunkSize: 128 * 1024 });
  // The error reaches the loop below.
  pipeline(source, unpacked, () => {});
  let bytes = 0;
  try {
    for await (const chunk of unpacked as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      checkGrowth(bytes, { packedBytes, freeBytes, hint });
      yield chunk;
    }
  } catch (error) {
    throw isZlibError(error) ? broken() : error;
  } finally {
    unpacked.destroy();
  }
}

function broken(): ImportFailure {
  return new ImportFailure('bad_compression', 'The file cannot be unpacked: it is not whole, or not gzip.');
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_ZLIB)/.test(String(error.code));
}
