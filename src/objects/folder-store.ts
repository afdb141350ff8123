import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, open, opendir, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fault, isStorageFull, OperatorError, systemCodeOf } from '#kernel';
import { digesting } from './digesting.ts';
import { checkKey, isKey, type ListedObject, type ObjectStore } from './object-store.ts';

/**
 * Bytes of one read. Large objects are read whole, and every read waits for its turn on a busy machine, so large
 * reads are quicker.
 */
const readBytes = 1 << 18;

/** Unfinished objects; on the same file system, so that a finished one moves into place in one step. */
const unfinished = '.unfinished';

/** Nobody writes to an unfinished object any more that is so old: its process is dead. */
const unfinishedMs = 86_400_000;

/** Far more than others who remove objects of one folder can come between. */
const mostTries = 100;

export function openFolderStore(root: string): ObjectStore {
  const pathOf = (key: string) => path.join(root, checkKey(key));

  return {
    async put(key, source, { signal } = {}) {
      const target = pathOf(key);
      const draft = path.join(root, unfinished, randomBytes(12).toString('hex'));
      const { through, result } = digesting();
      // It may fail before it is read, as a file that is gone; the pipeline reports it.
      source.on('error', () => {});
      try {
        await mkdir(path.dirname(draft), { recursive: true });
        await pipeline(source, through, createWriteStream(draft, { flags: 'wx', flush: true }), { signal });
        await moveIntoPlace(draft, target);
      } catch (error) {
        source.destroy();
        await rm(draft, { force: true });
        throw asUnavailable(error);
      }
      return result();
    },

    async get(key, range) {
      // Opened here, so that an object which is gone is reported before anything is answered.
      const file = await open(pathOf(key)).catch((error: unknown) => {
        throw isMissing(error) ? fault('artifact_not_found', { cause: error }) : error;
      });
      return file.createReadStream({ ...range, highWaterMark: readBytes });
    },

    size: (key) =>
      stat(pathOf(key)).then(
        ({ size }) => size,
        (error: unknown) => {
          if (isMissing(error)) return null;
          throw error;
        },
      ),

    async remove(key) {
      await rm(pathOf(key), { force: true });
      await removeEmptyFolders(root, key);
    },

    async *list({ atOnce = 1_000 } = {}) {
      let page: ListedObject[] = [];
      for await (const key of keysBelow(root, '')) {
        // An object that was removed meanwhile is left out.
        const found = isKey(key) ? await stat(path.join(root, key)).catch(() => null) : null;
        if (found) page.push({ key, bytes: found.size, changedMs: found.mtimeMs });
        if (page.length < atOnce) continue;
        yield page;
        page = [];
      }
      if (page.length > 0) yield page;
    },

    async check() {
      try {
        await mkdir(path.join(root, unfinished), { recursive: true });
        const probe = path.join(root, unfinished, `probe-${randomBytes(6).toString('hex')}`);
        await writeFile(probe, '');
        await rm(probe);
        await removeDead(path.join(root, unfinished));
      } catch (cause) {
        throw new OperatorError(`The folder for objects cannot be written: ${root}.`, { cause });
      }
    },

    close: async () => {},
  };
}

async function* keysBelow(root: string, prefix: string): AsyncGenerator<string> {
  const folder = await opendir(path.join(root, prefix)).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  for await (const entry of folder) {
    if (entry.isDirectory() && entry.name !== unfinished) yield* keysBelow(root, `${prefix}${entry.name}/`);
    else if (entry.isFile()) yield prefix + entry.name;
  }
}

async function removeDead(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const draft = path.join(folder, name);
    const changed = await stat(draft).catch(() => null);
    if (changed && changed.mtimeMs < Date.now() - unfinishedMs) await rm(draft, { force: true });
  }
}

/** Its folder may be removed, as an empty one, between the steps: then it is made once more. */
async function moveIntoPlace(draft: string, target: string): Promise<void> {
  const folder = path.dirname(target);
  for (let tries = 1; ; tries++)
    try {
      await mkdir(folder, { recursive: true });
      await rename(draft, target);
      break;
    } catch (error) {
      if (!isMissing(error) || tries === mostTries) throw error;
    }
  // Where the folder is gone by now, so is the object: somebody has removed it.
  await syncFolder(folder).catch((error: unknown) => {
    if (!isMissing(error)) throw error;
  });
}

/** Each import and each job has folders of its own: left behind, they would become ever more. */
async function removeEmptyFolders(root: string, key: string): Promise<void> {
  for (const words = key.split('/').slice(0, -1); words.length > 0; words.pop())
    try {
      await rmdir(path.join(root, ...words));
    } catch (error) {
      // Somebody else has removed it; or it is not empty, or may not be removed, and then those above stay as well.
      if (!isMissing(error)) return;
    }
}

/** A rename survives a power cut only once the folder is on disk, too. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** A full disk is as a store that is away: the same works once there is space. */
function asUnavailable(error: unknown): unknown {
  if (!isStorageFull(error)) return error;
  return fault('service_unavailable', { message: 'The service has no room on its disk at present.', cause: error });
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error) ?? '');
}
