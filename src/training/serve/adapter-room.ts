import { randomBytes } from 'node:crypto';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';

export const adapterSuffix = '.gguf';

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

type Seen = { name: string; path: string; size: number; usedMs: number };

async function look(folder: string, name: string): Promise<Seen> {
  const path = join(folder, name);
  // A file that was removed meanwhile counts as just used: there is nothing to remove.
  const { size, mtimeMs: usedMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: Number.POSITIVE_INFINITY }));
  return { name, path, size, usedMs };
}

/** Another process may have begun to use it since: first it is put aside, and comes back if that is so. */
async function removeUnlessUsed(folder: string, { name, path, usedMs }: Seen): Promise<void> {
  const aside = join(folder, `.${name}.${randomBytes(6).toString('hex')}`);
  if (!(await rename(path, aside).then(isDone, isNotDone))) return;
  const { usedMs: nowMs } = await look(folder, basename(aside));
  // Of another process that makes room, it may count as a draft: then it goes, and comes when it is called for.
  if (nowMs > usedMs) await rename(aside, path).catch(isNotDone);
  else await rm(aside, { force: true });
}

const isDone = () => true;
const isNotDone = () => false;
