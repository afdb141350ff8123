import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Adapter } from '#engine';
import { systemCodeOf } from '#kernel';
import type { ObjectStore } from '#objects';
import { adapterSuffix, makeRoom } from './adapter-room.ts';

/** Adapters as files of this machine, named by their content: the engine reads files. */
export type AdapterFiles = {
  /** Fetches it where it is not here yet. Throws `artifact_not_found`. */
  fetch: (adapter: { sha256: string; key: string }) => Promise<Adapter>;
  /** Sees to it that one that was fetched is here still, and stays for an hour at least. */
  attend: (adapter: Adapter) => Promise<void>;
};

export type AdapterFilesOptions = {
  objects: ObjectStore;
  folder: string;
  /** Those used least lately go when all together have more. */
  maxBytes: number;
  /** A file that was found to be there is not looked for again for so long; far less than those in use are spared. */
  trustMs?: number;
};

const mostRemembered = 10_000;

type Remembered = { key: string; lookedMs: number };

export function createAdapterFiles({ objects, folder, maxBytes, trustMs = 60_000 }: AdapterFilesOptions): AdapterFiles {
  const fetching = new Map<string, Promise<void>>();
  /** What was used last is the last. */
  const remembered = new Map<string, Remembered>();
  const pathOf = (sha256: string) => join(folder, `${sha256}${adapterSuffix}`);

  async function bring(sha256: string, key: string): Promise<void> {
    const path = pathOf(sha256);
    // What another process has left is read once: the engine cannot load what a disk has damaged, or answers with it.
    if ((await markUsed(path)) && (remembered.has(sha256) || (await digestOf(path)) === sha256)) return;
    await mkdir(folder, { recursive: true });
    const draft = join(folder, `.${sha256}.${randomBytes(6).toString('hex')}`);
    try {
      await pipeline(await objects.get(key), createWriteStream(draft, { flush: true }));
      if ((await digestOf(draft)) !== sha256) throw new Error(`The object ${key} is not the adapter ${sha256}.`);
      // Whole from the first moment, also for other processes with the same folder.
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
    await makeRoom(folder, maxBytes);
  }

  async function bringOnce(sha256: string, key: string): Promise<void> {
    const known = remembered.get(sha256);
    if (known && performance.now() - known.lookedMs < trustMs) return;
    const lookedMs = performance.now();
    const fetched = fetching.get(sha256) ?? bring(sha256, key).finally(() => fetching.delete(sha256));
    fetching.set(sha256, fetched);
    await fetched;
    remember(sha256, { key, lookedMs });
  }

  function remember(sha256: string, one: Remembered): void {
    remembered.delete(sha256);
    remembered.set(sha256, one);
    const [oldest] = remembered.keys();
    if (remembered.size > mostRemembered && oldest !== undefined) remembered.delete(oldest);
  }

  return {
    async fetch({ sha256, key }) {
      await bringOnce(sha256, key);
      return { sha256, path: pathOf(sha256) };
    },
    async attend({ sha256, path }) {
      const known = remembered.get(sha256);
      if (known) await bringOnce(sha256, known.key);
      else await markUsed(path);
    },
  };
}

/** Other processes see that it is in use, too. False: it is not there. */
async function markUsed(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
  } catch (error) {
    // That of another user cannot be marked, but is there.
    return systemCodeOf(error) !== 'ENOENT';
  }
  return true;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return hash.digest('hex');
}
