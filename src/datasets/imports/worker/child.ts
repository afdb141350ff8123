import { rm } from 'node:fs/promises';
import { flushCompileCache } from 'node:module';
import { type Database, openDatabase } from '#db';
import { isStorageFull, isUnavailableFault, messageOf } from '#kernel';
import { type ObjectStore, openFolderStore, openS3 } from '#objects';
import { receiveMessages, sendToParent } from '#processes';
import type { FromWorker, WorkOrder, WorkTarget } from './protocol.ts';
import { Busy, runImport } from './run-import.ts';
import { type CountingModels, createTokenCounting, type TokenCounterFor } from './token-counting.ts';

const aliveMs = 1_000;
/** The program of a worker: takes one order after the other and reports how each ended (`worker-process.ts`). */
function main(): void {
  const tools = openedOnce(openTools);
  const tokenCounting = createTokenCounting(process.env);
  // What was not committed when the server dies is undone by the database.
  receiveMessages<WorkOrder<CountingModels>>((order) => {
    void run(order, { tools, tokenCounterFor: tokenCounting(order.counting) })
      .then(sendToParent)
      // Compiled modules are written to the cache now, because a process that is killed writes nothing.
      .then(() => flushCompileCache());
  });
}

type Tools = { database: Database; objects: ObjectStore };

async function openTools({ databaseUrl, objects }: WorkTarget<CountingModels>): Promise<Tools> {
  return {
    // The lease and the writing take one connection, progress and lookups the others.
    database: await openDatabase({ url: databaseUrl, maxConnections: 4 }),
    objects: objects.kind === 'folder' ? openFolderStore(objects.root) : await openS3(objects.place),
  };
}

/** Orders of one server are all for the same database and the same store. */
function openedOnce(open: typeof openTools): typeof openTools {
  let opened: Promise<Tools> | null = null;
  return (order) => {
    opened ??= open(order);
    return opened;
  };
}

type RunDeps = { tools: typeof openTools; tokenCounterFor: TokenCounterFor };

async function run(order: WorkOrder<CountingModels>, { tools, tokenCounterFor }: RunDeps): Promise<FromWorker> {
  const { bounds, tempDir, importId } = order;
  const alive = setInterval(() => sendToParent({ type: 'alive' }), aliveMs);
  try {
    await runImport({ ...(await tools(order)), bounds, tempDir, tokenCounterFor }, importId);
    return { type: 'done' };
  } catch (error) {
    return outcomeOf(error);
  } finally {
    clearInterval(alive);
    await rm(tempDir, { recursive: true, force: true });
  }
}

function outcomeOf(error: unknown): FromWorker {
  if (error instanceof Busy) return { type: 'busy', message: error.message };
  // A full disk is an outage like that of an object store: the file is not to blame.
  if (isUnavailableFault(error) || isStorageFull(error)) return { type: 'unavailable', message: reasonOf(error) };
  return { type: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

/** For the operator: what it was in detail is in the cause. */
function reasonOf(error: unknown): string {
  return !(error instanceof Error) || error.cause === undefined
    ? messageOf(error)
    : `${error.message} (${messageOf(error.cause)})`;
}

main();
