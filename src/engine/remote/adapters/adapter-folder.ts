import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { systemCodeOf } from '#kernel';
import type { Adapter } from '../../port.ts';

/** Where adapters come from in the form that other engines read. */
export type AdapterSource = {
  writePeft: (sha256: string, folder: string) => Promise<void>;
};

export type FolderPaths = { here: string; there: string };

export type AdapterFolderDeps = { source: AdapterSource; onCleanupError: (error: unknown) => void };

/**
 * A folder that servers share with an engine, which may run as another user: what lies in it is as readable as the folder itself. Files are
 * named by their content, complete, and never change; their time of change is that of their last use.
 */
export class AdapterFolder {
  readonly #paths: FolderPaths;
  readonly #deps: AdapterFolderDeps;

  constructor(paths: FolderPaths, deps: AdapterFolderDeps) {
    this.#paths = paths;
    this.#deps = deps;
  }

  /** Writes the folder of PEFT, unless it is there; returns its path where the engine runs. */
  async writePeft({ sha256 }: Adapter): Promise<string> {
    await this.#write(sha256, async (draft) => {
      await mkdir(draft);
      await this.#deps.source.writePeft(sha256, draft);
      const { mode } = await stat(this.#paths.here);
      await chmod(draft, mode);
      for (const name of await readdir(draft)) await flush(join(draft, name), mode);
    });
    return posix.join(this.#paths.there, sha256);
  }

  /** Writes the GGUF file, unless it is there; returns its path where the engine runs. */
  async writeGguf({ sha256, path }: Adapter): Promise<string> {
    const name = ggufName(sha256);
    await this.#write(name, async (draft) => {
      await copyFile(path, draft);
      await flush(draft, (await stat(this.#paths.here)).mode);
    });
    return posix.join(this.#paths.there, name);
  }

  markPeft(sha256: string): Promise<boolean> {
    return markUsed(join(this.#paths.here, sha256));
  }

  markGguf(sha256: string): Promise<boolean> {
    return markUsed(join(this.#paths.here, ggufName(sha256)));
  }

  /** Other servers may do the same at the same time: the second one leaves what is there. */
  async #write(name: string, write: (draft: string) => Promise<void>): Promise<void> {
    const { here } = this.#paths;
    const path = join(here, name);
    if (await markUsed(path)) return;
    const draft = draftOf(here, name);
    try {
      await write(draft);
      await rename(draft, path);
    } catch (error) {
      if (!(await markUsed(path))) throw error;
    } finally {
      await rm(draft, { recursive: true, force: true });
    }
    await cleanFolder(here).catch(this.#deps.onCleanupError);
  }
}

export const ggufName = (sha256: string) => `${sha256}.gguf`;

/** To the disk, readable for those that `mode` lets into a folder. */
async function flush(path: string, mode: number): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.chmod(mode & 0o666);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Far longer than a server trusts that an engine can read what it has once loaded. */
const unusedMs = 30 * 86_400_000;
/** The process of an older draft is dead. */
const draftMs = 86_400_000;

/** What this program writes; other files in the folder are not touched. */
const adapterNames = /^[0-9a-f]{64}(\.gguf)?$/;
const draftNames = /^\.[0-9a-f]{64}(\.gguf)?\.[0-9a-f]{12}$/;

export const draftOf = (folder: string, name: string) => join(folder, `.${name}.${randomBytes(6).toString('hex')}`);

export async function markUsed(path: string, nowMs = Date.now()): Promise<boolean> {
  const now = new Date(nowMs);
  try {
    await utimes(path, now, now);
  } catch (error) {
    // That of another user cannot be marked, but is there.
    return systemCodeOf(error) !== 'ENOENT';
  }
  return true;
}

/** Removes adapters that no server has used for a month, and drafts of dead processes. Several servers may do so at once. */
export async function cleanFolder(folder: string, nowMs = Date.now()): Promise<void> {
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const usedMs = await usedAt(path);
    if (draftNames.test(name) && usedMs < nowMs - draftMs) await remove(path);
    else if (adapterNames.test(name) && usedMs < nowMs - unusedMs)
      await removeUnlessUsed(path, draftOf(folder, name), usedMs);
  }
}

/** Another server may just have marked it: it is renamed first, which takes no time, and back where it was marked meanwhile. */
async function removeUnlessUsed(path: string, aside: string, usedMs: number): Promise<void> {
  // Fails where another server did the same.
  if (!(await rename(path, aside).then(isDone, isNotDone))) return;
  // Fails where the adapter was written again.
  if ((await usedAt(aside)) > usedMs && (await rename(aside, path).then(isDone, isNotDone))) return;
  await remove(aside);
}

const isDone = () => true;
const isNotDone = () => false;

/** What is gone counts as new: there is nothing to remove. */
async function usedAt(path: string): Promise<number> {
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return mtimeMs;
}

/** Another server may be removing it, too. */
async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (await stat(path).then(isDone, isNotDone)) throw error;
  }
}
