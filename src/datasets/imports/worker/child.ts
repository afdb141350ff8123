import { rm } from 'node:fs/promises';
import { openDatabase } from '#db';
import { openFolderStore, openS3Store } from '#objects';
import { type Counting, openRulers } from './counting.ts';
import type { FromWorker, ObjectPlace, ToWorker, WorkOrder } from './protocol.ts';
import { Busy, work } from './work.ts';

const aliveMs = 1_000;

/** The program of a worker: one import, one attempt. It says how that ended and is gone (`worker-process.ts`). */
function main(): void {
  // A terminal or a service manager signals the whole group; the server decides when its workers end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  // Nobody is left to answer to. What was not committed is undone by the database.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.once('message', (received) => {
    // as: the channel carries only what worker-process.ts sends.
    const { order } = received as ToWorker<Counting>;
    void run(order).then(say);
  });
}

async function run(order: WorkOrder<Counting>): Promise<FromWorker> {
  const alive = setInterval(() => process.send?.({ type: 'alive', rssBytes: process.memoryUsage.rss() }), aliveMs);
  try {
    // The lease and the writing take one connection, progress and questions the others.
    const database = await openDatabase({ url: order.databaseUrl, maxConnections: 4 });
    const objects = openObjects(order.objects);
    const rulers = order.counting && openRulers(order.counting);
    const { bounds, tempDir } = order;
    await work(
      { database, objects, bounds, tempDir, rulerOf: (dataset) => rulers?.rulerOf(dataset) ?? null },
      order.importId,
    );
    return { type: 'done' };
  } catch (error) {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { type: error instanceof Busy ? 'again' : 'failed', message };
  } finally {
    clearInterval(alive);
    await rm(order.tempDir, { recursive: true, force: true });
  }
}

function openObjects(place: ObjectPlace) {
  return place.kind === 'folder' ? openFolderStore(place.root) : openS3Store(place.place);
}

function say(message: FromWorker): void {
  // Native parts may be at work still, which an orderly exit would wait for.
  const end = () => process.exit(0);
  if (process.send) process.send(message, undefined, undefined, end);
  else end();
}

main();
