/**
 * The PostgreSQL that all test processes of a checkout share: `node postgres-server.ts FOLDER`. It ends, and takes its
 * data with it, when nobody has been connected for a while, or as soon as nobody is once it was told to (SIGTERM).
 */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase, startEmbedded } from '#db';
import { overNetwork } from './over-network.ts';

const idleMs = 60_000;
const pollMs = 2_000;

async function serve(folder: string): Promise<void> {
  const told = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => told.abort());
  const server = await startEmbedded({ dataDir: folder, durable: false });
  const database = await openDatabase({ url: overNetwork(server.url), maxConnections: 1 });
  await writeFile(join(folder, 'server.pid'), String(process.pid));
  await rm(`${folder}.starting`, { force: true });
  await waitUntilIdle(database, told.signal);
  // Out of the way first: whoever needs a server from now on makes a new one in a new folder.
  const ended = `${folder}.ended-${process.pid}`;
  await rename(folder, ended);
  // Who came at the last moment is served to his end.
  while (await isUsed(database)) await sleep(pollMs);
  await database.close();
  await server.stop();
  await rm(ended, { recursive: true, force: true });
}

async function waitUntilIdle(database: Database, told: AbortSignal): Promise<void> {
  let idleSince = performance.now();
  while (performance.now() - idleSince < idleMs) {
    if (told.aborted) await sleep(pollMs);
    else await sleep(pollMs, undefined, { signal: told }).catch(() => {});
    if (await isUsed(database)) idleSince = performance.now();
    else if (told.aborted) return;
  }
}

/** Whether somebody else is connected. */
async function isUsed(database: Database): Promise<boolean> {
  const others = await database.query(
    `select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return others.length > 0;
}

const [folder] = process.argv.slice(2);
if (!folder) throw new Error('usage: postgres-server.ts FOLDER');
await serve(folder);
