import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { ZipFile } from 'yazl';
import type { ObjectStore } from '#objects';

export type PackedFile = { name: string; sizeBytes: number; open: () => Promise<Readable> };

/** The first day that a ZIP archive can name. */
const noDate = new Date(1980, 0, 1);

/**
 * A ZIP archive as a stream. Nothing is compressed (weights do not get smaller) and nothing depends on when or where it is made, so the same
 * files give the same bytes: an archive that is made twice has one digest, and a download can go on where it stopped.
 */
export function packFiles(files: readonly PackedFile[]): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  const fail = (cause: unknown) => output.destroy(cause instanceof Error ? cause : new Error(String(cause)));
  zip.on('error', fail);
  for (const { name, sizeBytes, open } of files) {
    const options = { mtime: noDate, mode: 0o100644, compress: false, forceDosTimestamp: true, size: sizeBytes };
    zip.addReadStreamLazy(name, options, (give) => {
      open().then((stream) => {
        // A pipe does not pass errors on.
        stream.on('error', fail);
        output.on('close', () => stream.destroy());
        give(null, stream);
      }, fail);
    });
  }
  zip.end();
  zip.outputStream.on('error', fail);
  zip.outputStream.pipe(output);
  return output;
}

type Store = Pick<ObjectStore, 'get' | 'size'>;

class StoreReader extends yauzl.RandomAccessReader {
  readonly #store: Store;
  readonly #key: string;

  constructor(store: Store, key: string) {
    super();
    this.#store = store;
    this.#key = key;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    const stream = new PassThrough();
    this.#store.get(this.#key, { start, end: end - 1 }).then(
      (source) => pipeline(source, stream).catch(() => {}),
      (error: Error) => stream.destroy(error),
    );
    return stream;
  }
}

/** Writes some files of an archive of ours (`packFiles`) into a folder, and compares them with their checksums. */
export async function unpackFiles(
  store: Store,
  { key, names, folder }: { key: string; names: readonly string[]; folder: string },
): Promise<void> {
  const size = await store.size(key);
  const archive = await yauzl
    .fromRandomAccessReaderPromise(new StoreReader(store, key), size ?? 0)
    .catch((cause: unknown) => {
      throw new Error(`${key} is no archive.`, { cause });
    });
  const missing = new Set(names);
  for await (const entry of archive.eachEntry()) {
    const name = entry.fileName;
    if (!missing.delete(name)) continue;
    // Ours are stored as they are: none unpacks to more than the archive holds.
    if (entry.compressionMethod !== 0) throw new Error(`${name} of ${key} is compressed.`);
    let crc = 0;
    await pipeline(
      await archive.openReadStreamPromise(entry),
      async function* (pieces: AsyncIterable<Buffer>) {
        for await (const piece of pieces) {
          crc = crc32(piece, crc);
          yield piece;
        }
      },
      createWriteStream(join(folder, name)),
    );
    if (crc !== entry.crc32) throw new Error(`${name} of ${key} is damaged.`);
  }
  for (const name of missing) throw new Error(`The archive ${key} has no ${name}.`);
}
