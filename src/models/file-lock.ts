import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ModelBusyError, ModelError, reasonOf } from './model-error.ts';

export type LockOptions = { waitMs: number; busyMessage: string };

const pollMs = 50;
const sqliteBusy = 5;

/**
 * Runs `work` while holding a lock file, across processes. The lock is that of a SQLite transaction, which the
 * operating system releases when the process ends, also by a kill. The file stays, empty.
 */
export async function withFileLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  // Only commands that change models need SQLite, not who serves.
  const { DatabaseSync } = await import('node:sqlite');
  await mkdir(dirname(path), { recursive: true });
  const deadline = performance.now() + options.waitMs;
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    while (!tryLock(() => lock.exec('begin immediate'), path)) {
      if (performance.now() >= deadline) throw new ModelBusyError(options.busyMessage);
      await sleep(pollMs);
    }
    return await work();
  } finally {
    lock.close();
  }
}

function tryLock(begin: () => void, path: string): boolean {
  try {
    begin();
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return false;
    throw new ModelError(`${path} cannot be locked: ${reasonOf(error)}.`, { cause: error });
  }
}
