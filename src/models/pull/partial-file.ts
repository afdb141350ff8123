import type { Hash } from 'node:crypto';
import { type FileHandle, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { Type } from 'typebox';
import { Check } from 'typebox/schema';
import { hashFile } from '../file-digest.ts';

/** What was known of the remote file when the part was begun. */
const PartialOrigin = Type.Object({
  address: Type.String(),
  sha256: Type.Union([Type.String(), Type.Null()]),
  etag: Type.Union([Type.String(), Type.Null()]),
});
export type PartialOrigin = Type.Static<typeof PartialOrigin>;

/** The part of a file that is already here, with the digest of its bytes so far. */
export type PartialFile = {
  bytes: () => number;
  origin: () => PartialOrigin | null;
  digest: () => string;
  /** Forgets the part and starts an empty one. */
  restart: (origin: PartialOrigin) => Promise<void>;
  append: (chunk: Buffer) => Promise<void>;
  sync: () => Promise<void>;
  close: () => Promise<void>;
  remove: () => Promise<void>;
};

/**
 * Opens `path` (a `.partial` file, with a `.json` beside it that names its origin). A part without a readable origin
 * is dropped: nothing proves what it is a part of.
 */
export async function openPartialFile(path: string, onChecked: (bytes: number) => void): Promise<PartialFile> {
  const originPath = `${path}.json`;
  let origin = await readOrigin(originPath);
  if (origin === null) await rm(path, { force: true });
  let handle: FileHandle = await open(path, 'a', 0o600);
  let bytes = 0;
  let hash: Hash;
  try {
    const size = (await stat(path)).size;
    hash = await hashFile(path, (count) => {
      bytes += count;
      onChecked(bytes);
    });
    if (bytes !== size) throw new Error(`${path} changed while it was read.`);
  } catch (error) {
    await handle.close();
    throw error;
  }

  return {
    bytes: () => bytes,
    origin: () => origin,
    // A digest ends its hash, so that a copy gives it.
    digest: () => hash.copy().digest('hex'),
    async restart(next) {
      await handle.close();
      await truncate(path, 0);
      handle = await open(path, 'a', 0o600);
      await writeFile(originPath, JSON.stringify(next), { mode: 0o600 });
      origin = next;
      bytes = 0;
      hash = await hashFile(path);
    },
    async append(chunk) {
      await handle.appendFile(chunk);
      hash.update(chunk);
      bytes += chunk.length;
    },
    sync: () => handle.sync(),
    close: () => handle.close(),
    async remove() {
      await rm(path, { force: true });
      await rm(originPath, { force: true });
    },
  };
}

async function readOrigin(path: string): Promise<PartialOrigin | null> {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    return Check(PartialOrigin, value) ? value : null;
  } catch {
    return null;
  }
}
