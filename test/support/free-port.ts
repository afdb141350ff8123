import { once } from 'node:events';
import { createServer } from 'node:net';

/** Ports that the system gives to nobody by itself, below those of embedded PostgreSQL; each process of a test has some of its own. */
const first = 12_000;
const perProcess = 8;
const processes = 2_000;
/** Whoever needs more gets those of a process that is far away: tests that run at once often have neighbouring numbers. */
const stride = 617;
let taken = 0;

/**
 * A port of 127.0.0.1 that nobody listens on, and that stays free until whoever asked has started something on it: one that the
 * system chose could go to the next connection of any test beside this one.
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < 500; tries += 1) {
    const block = (process.pid + stride * Math.floor(taken / perProcess)) % processes;
    const port = first + block * perProcess + (taken % perProcess);
    taken += 1;
    if (await isFree(port)) return port;
  }
  throw new Error('No port is free.');
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen({ host: '127.0.0.1', port }), 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
