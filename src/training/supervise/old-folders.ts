import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from '#db';
import { listOverAttempts } from '../leftovers.store.ts';
import { attemptFolder, draftsName, removeAttempt } from './attempt-folder.ts';

const dayMs = 86_400_000;

/**
 * Removes what servers left on this machine that died, or that canceled: folders of attempts that are over, and drafts that nobody has
 * written to for a day.
 */
export async function sweepFolders(sql: Sql, root: string, nowMs: number): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const jobIds = names.filter((name) => name !== draftsName);
  if (jobIds.length > 0) {
    // Processes of an attempt that is over end within minutes. Folders are removed by attempt, because the job may have
    // another one that runs.
    for (const attempt of await listOverAttempts(sql, jobIds)) await removeAttempt(attemptFolder(root, attempt));
  }
  const drafts = join(root, draftsName);
  for (const name of await readdir(drafts).catch(() => [])) {
    if (nowMs - (await lastChange(join(drafts, name))) > dayMs)
      await rm(join(drafts, name), { recursive: true, force: true });
  }
}

async function lastChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) => stat(path).catch(() => null)),
  );
  return Math.max(0, ...times.map((each) => each?.mtimeMs ?? 0));
}
