import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemCodeOf } from '#kernel';

const patienceMs = 60_000;
const pollMs = 50;

/**
 * Does the work while no other process of this machine does one of the same name. The kernel gives a name to one process at a
 * time and takes it back when that ends, however it ends; Linux only. Whoever waits in vain for long works all the same.
 */
export async function alone<T>(secret: string, work: () => Promise<T>): Promise<T> {
  const name = createHash('sha256').update(`alone ${secret}`).digest('hex');
  const held = process.platform === 'linux' ? await holdName(name) : null;
  try {
    return await work();
  } finally {
    held?.close();
  }
}

/** Null: it stays with somebody else, or the kernel knows no such names. */
async function holdName(name: string): Promise<Server | null> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; await sleep(pollMs)) {
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
