import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#kernel';

const timeoutMs = 60_000;
const pollMs = 50;

/**
 * Does the work while no other process of this machine holds the lock of the same secret. The kernel gives a name to one process at a
 * time and takes it back when that ends, however it ends; Linux only. After a minute of waiting the work is done without the lock.
 */
export async function withMachineLock<T>(secret: string, work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256').update(`lock ${secret}`).digest('hex');
  const lock = process.platform === 'linux' ? await acquire(name) : null;
  try {
    return await work();
  } finally {
    lock?.close();
  }
}

/** Null: another process holds it for too long, or the system has no such names. */
async function acquire(name: string): Promise<Server | null> {
  for (const deadline = performance.now() + timeoutMs; performance.now() < deadline; await sleep(pollMs)) {
    const server = createServer((stranger) => stranger.destroy());
    const problem = await new Promise<Error | null>((settle) => {
      server.once('error', settle);
      // The null byte makes it a name without a file: an abstract socket.
      server.listen(`\0fanfold-${name}`, () => settle(null));
    });
    if (problem === null) return server;
    if (systemCodeOf(problem) !== 'EADDRINUSE') return null;
  }
  return null;
}
