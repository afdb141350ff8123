import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, stat, unlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#kernel';
import { ModelError } from './model-error.ts';

export type LockOptions = {
  waitMs: number;
  /** What to say when the wait was in vain. */
  busyMessage: string;
};

const pollMs = 50;
const heartbeatMs = 5_000;
/** A lock whose holder has not touched it for this long may be taken by others. */
const staleMs = 30_000;

/**
 * Runs `work` while holding a lock file, across processes. The file names its holder; a holder that is dead (same host)
 * or silent for 30 s loses the lock, so that a killed command never blocks the next one.
 */
export async function withFileLock<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  const holder = JSON.stringify({ pid: process.pid, host: hostname(), nonce: randomUUID() });
  await mkdir(dirname(path), { recursive: true });
  const deadline = performance.now() + options.waitMs;
  while (!(await tryAcquire(path, holder))) {
    if (await dropIfStale(path)) continue;
    if (performance.now() >= deadline) throw new ModelError(options.busyMessage);
    await sleep(pollMs);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => {});
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    if ((await read(path)) === holder) await unlink(path).catch(() => {});
  }
}

async function tryAcquire(path: string, holder: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx');
    try {
      await file.writeFile(holder);
    } catch (error) {
      // On a full disk it would name nobody, and keep others out.
      await unlink(path).catch(() => {});
      throw error;
    } finally {
      await file.close();
    }
    return true;
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes a stale lock. Of all who find it stale one may: who makes the file that stands for just this lock. Without it one who looked
 * early could remove the lock of whoever was quicker, and a third would get in beside him.
 */
async function dropIfStale(path: string): Promise<boolean> {
  const seen = await read(path);
  if (seen === null) return true;
  if (!(await isStale(path, seen))) return false;
  const claim = `${path}.${createHash('sha256').update(seen).digest('hex').slice(0, 16)}.stale`;
  if (!(await tryAcquire(claim, ''))) {
    // Whoever made it died before it was done: somebody may try again.
    if (await isSilent(claim)) await unlink(claim).catch(() => {});
    return false;
  }
  try {
    // Looked at again: it may be another's by now, who has written nothing yet.
    if ((await read(path)) === seen && (await isStale(path, seen))) await unlink(path).catch(() => {});
  } finally {
    await unlink(claim).catch(() => {});
  }
  return true;
}

async function isStale(path: string, content: string): Promise<boolean> {
  const holder = parseHolder(content);
  if (holder && holder.host === hostname() && !isAlive(holder.pid)) return true;
  return isSilent(path);
}

async function isSilent(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > staleMs;
  } catch {
    return false;
  }
}

function parseHolder(content: string): { pid: number; host: string } | null {
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('host' in value)) return null;
    return typeof value.pid === 'number' && typeof value.host === 'string'
      ? { pid: value.pid, host: value.host }
      : null;
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCodeOf(error) !== 'ESRCH';
  }
}

async function read(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return null;
  }
}
