import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Adapter } from '#engine';
import { systemCodeOf } from '#kernel';
import type { ObjectStore } from '#objects';

/** Adapters as files of this machine, named by their content: the engine reads files. */
export type AdapterFiles = {
  fetch: (adapter: { sha256: string; key: string }) => Promise<Adapter>;
  /** Sees to it that one that was fetched is here still, and stays for an hour at least. */
  provideFile: (adapter: Adapter) => Promise<void>;
};

type AdapterFilesOptions = {
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
      // It appears whole, also for other processes with the same folder.
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
    async provideFile({ sha256, path }) {
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

const adapterSuffix = '.gguf';

/** A call that waits may come to need its file so long after it was seen to be there. */
const sparedMs = 3_600_000;
/** Nobody writes to a draft any more that is so old: its process is dead. */
const draftMs = 86_400_000;

/**
 * Removes the files that were used least lately until the rest has no more than `maxBytes`, but none that was used within the last
 * hour, and drafts that dead processes left. Whoever has opened a file goes on reading it.
 */
export async function makeRoom(folder: string, maxBytes: number): Promise<void> {
  const files = await Promise.all((await readdir(folder)).map((name) => look(folder, name)));
  const drafts = files.filter(({ name, usedMs }) => name.startsWith('.') && usedMs < Date.now() - draftMs);
  for (const { path } of drafts) await rm(path, { force: true });
  const adapters = files.filter(({ name }) => !name.startsWith('.') && name.endsWith(adapterSuffix));
  let bytes = adapters.reduce((sum, { size }) => sum + size, 0);
  for (const file of adapters.toSorted((a, b) => a.usedMs - b.usedMs)) {
    if (bytes <= maxBytes || file.usedMs > Date.now() - sparedMs) return;
    await removeUnlessUsed(folder, file);
    bytes -= file.size;
  }
}

type AdapterFolder = { name: string; path: string; size: number; usedMs: number };

async function look(folder: string, name: string): Promise<AdapterFolder> {
  const path = join(folder, name);
  // A file that was removed meanwhile counts as just used: there is nothing to remove.
  const { size, mtimeMs: usedMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: Number.POSITIVE_INFINITY }));
  return { name, path, size, usedMs };
}

/** Another process may have begun to use it since: first it is put aside, and comes back if that is so. */
async function removeUnlessUsed(folder: string, { name, path, usedMs }: AdapterFolder): Promise<void> {
  const aside = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  if (!(await rename(path, aside).then(isDone, isNotDone))) return;
  const { usedMs: nowMs } = await look(folder, basename(aside));
  // Of another process that makes room, it may count as a draft: then it goes, and comes when it is called for.
  if (nowMs > usedMs) await rename(aside, path).catch(isNotDone);
  else await rm(aside, { force: true });
}

const isDone = () => true;
const isNotDone = () => false;
