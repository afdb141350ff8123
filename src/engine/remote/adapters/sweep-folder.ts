import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { systemCodeOf } from '#kernel';

/** Far more than a server trusts that an engine can read what it has once loaded. */
const unusedMs = 30 * 86_400_000;
/** Nobody writes to a draft any more that is so old: its process is dead. */
const draftMs = 86_400_000;

/** What this program puts there; whatever else lies in the folder is somebody else's. */
const adapterNames = /^[0-9a-f]{64}(\.gguf)?$/;
const draftNames = /^\.[0-9a-f]{64}(\.gguf)?\.[0-9a-f]{12}$/;
/** What somebody puts aside says since when: its own time is that of its last use. */
const asideNames = /^\.[0-9a-f]{64}(?:\.gguf)?\.[0-9a-f]{12}\.([0-9]{13,15})$/;
/** Since then servers mark what they use in this folder; before, old files may have been in use. */
const marksFile = '.fanfold-marks-uses';

export const draftOf = (folder: string, name: string) => join(folder, `.${name}.${randomBytes(6).toString('hex')}`);

/** Shows all who share the folder that it is in use. False: it is not there. */
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

/**
 * Removes adapters that no server has used for a month, and drafts that dead processes left. Servers bring again what they come
 * to need, so several may do this at once, also those of installations that know nothing of each other.
 */
export async function sweepFolder(folder: string, nowMs = Date.now()): Promise<void> {
  const isMarkedLong = (await firstMark(folder, nowMs)) < nowMs - unusedMs;
  for (const name of await readdir(folder)) {
    const usedMs = await usedAt(folder, name);
    if (isLeft(name, { usedMs, nowMs })) await remove(join(folder, name));
    else if (isMarkedLong && adapterNames.test(name) && usedMs < nowMs - unusedMs)
      await removeUnlessUsed(folder, { name, usedMs, nowMs });
  }
}

async function firstMark(folder: string, nowMs: number): Promise<number> {
  const path = join(folder, marksFile);
  const text =
    'Servers of Fanfold mark the adapters that they use here, and remove those that none has used for a month.\n';
  try {
    await writeFile(path, text, { flag: 'wx' });
    await markUsed(path, nowMs);
  } catch (error) {
    if (systemCodeOf(error) !== 'EEXIST') throw error;
  }
  return usedAt(folder, marksFile);
}

function isLeft(name: string, { usedMs, nowMs }: { usedMs: number; nowMs: number }): boolean {
  if (draftNames.test(name)) return usedMs < nowMs - draftMs;
  const [, asideSince] = asideNames.exec(name) ?? [];
  return asideSince !== undefined && Number(asideSince) < nowMs - draftMs;
}

/** One that went meanwhile is as good as new: there is nothing to remove. */
async function usedAt(folder: string, name: string): Promise<number> {
  const { mtimeMs } = await stat(join(folder, name)).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }));
  return mtimeMs;
}

type Unused = { name: string; usedMs: number; nowMs: number };

/** Another server may have begun to use it since: first it is put aside, and comes back if that is so. */
async function removeUnlessUsed(folder: string, { name, usedMs, nowMs }: Unused): Promise<void> {
  const path = join(folder, name);
  const aside = `${draftOf(folder, name)}.${nowMs}`;
  // Else another server did the same.
  if (!(await rename(path, aside).then(isDone, isNotDone))) return;
  // That server, or whoever needs it, may have brought it again: that one stays.
  if ((await usedAt(folder, basename(aside))) > usedMs && (await rename(aside, path).then(isDone, isNotDone))) return;
  await remove(aside);
}

const isDone = () => true;
const isNotDone = () => false;

/** Another server may remove it, too. */
async function remove(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true });
  } catch (error) {
    if (await stat(path).then(isDone, isNotDone)) throw error;
  }
}
