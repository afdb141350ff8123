import { rm } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { type Database, openDatabase } from '#db';
import { isOutOfReach, isOutOfRoom, messageOf } from '#kernel';
import { type ObjectStore, openFolderStore, openS3 } from '#objects';
import { type Counting, createRulers } from './counting.ts';
import type { FromWorker, ToWorker, WorkOrder, WorkPlace } from './protocol.ts';
import type { WorkDeps } from './room.ts';
import { Busy, prepare, work } from './work.ts';

const aliveMs = 1_000;
/**
 * These options of the process would override the memory limits that worker threads are started with; they have done
 * their work for the main thread by now, and 0 clears them.
 */
const ownHeapOptions = ['--max-old-space-size=0', '--initial-old-space-size=0', '--max-semi-space-size=0'];

/** The program of a worker: takes one order after the other and says how each ended (`worker-process.ts`). */
function main(): void {
  for (const option of ownHeapOptions) setFlagsFromString(option);
  // A terminal or a service manager signals the whole group; the server decides when its workers end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
  // Nobody is left to answer to. What was not committed is undone by the database.
  const die = () => void process.kill(process.pid, 'SIGKILL');
  process.on('disconnect', die);
  // The server may have died while this program was loading.
  if (!process.connected) die();
  const tools = remembered(openTools);
  const rulers = createRulers(process.env);
  process.on('message', (received) => {
    // as: the channel carries only what worker-process.ts sends.
    const message = received as ToWorker<Counting>;
    if (message.type === 'prepare') {
      const { place, importId } = message;
      // If the tools cannot be opened the process ends, and an order goes to another one. Any other failure will be
      // reported by the order itself.
      void tools(place).then(
        ({ database }) => prepare({ database, ...rulers(place.counting) }, importId).catch(() => {}),
        die,
      );
      return;
    }
    const { order } = message;
    void run(order, { tools, ...rulers(order.counting) })
      .then(say)
      // Compiled modules are written to the cache now, because a process that is killed writes nothing: a file that was
      // read is likely to be imported next.
      .then(() => import('./write-examples.ts'))
      .then(() => flushCompileCache());
  });
}

type Tools = { database: Database; objects: ObjectStore };

async function openTools({ databaseUrl, objects }: WorkPlace<Counting>): Promise<Tools> {
  return {
    // The lease and the writing take one connection, progress and questions the others.
    database: await openDatabase({ url: databaseUrl, maxConnections: 4 }),
    objects: objects.kind === 'folder' ? openFolderStore(objects.root) : await openS3(objects.place),
  };
}

/** Orders of one server are all for the same database and the same store. */
function remembered(open: typeof openTools): typeof openTools {
  let opened: Promise<Tools> | null = null;
  return (order) => {
    opened ??= open(order);
    return opened;
  };
}

type With = { tools: typeof openTools } & Pick<WorkDeps, 'rulerOf' | 'surveyRulerOf'>;

async function run(order: WorkOrder<Counting>, { tools, ...rulers }: With): Promise<FromWorker> {
  const { bounds, tempDir, keptDir, importId } = order;
  const alive = setInterval(() => say({ type: 'alive', rssBytes: process.memoryUsage.rss() }), aliveMs);
  try {
    await work({ ...(await tools(order)), bounds, tempDir, keptDir, ...rulers }, importId);
    return { type: 'done' };
  } catch (error) {
    return endOf(error);
  } finally {
    clearInterval(alive);
    await rm(tempDir, { recursive: true, force: true });
  }
}

function endOf(error: unknown): FromWorker {
  if (error instanceof Busy) return { type: 'again', message: error.message };
  // Room on a disk is made as an object store comes back: without the file's doing.
  if (isOutOfReach(error) || isOutOfRoom(error)) return { type: 'away', message: reasonOf(error) };
  return { type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** For the operator: what it was in detail is in the cause. */
function reasonOf(error: unknown): string {
  return !(error instanceof Error) || error.cause === undefined
    ? messageOf(error)
    : `${error.message} (${messageOf(error.cause)})`;
}

function say(message: FromWorker): void {
  // A channel that has closed ends this process: see 'disconnect'.
  process.send?.(message, undefined, undefined, () => {});
}

main();
