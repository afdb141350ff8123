import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { enqueueIndexing } from '../search/index-examples.ts';
import { accountOfImport, findRunning, listAbandoned, returnAttempt } from './import-runs.store.ts';
import type { ObjectLocation, WorkBounds, WorkTarget } from './worker/protocol.ts';
import { failImport } from './worker/run-import.ts';
import { tempFolderOf } from './worker/temp-files.ts';
import type { CountingModels } from './worker/token-counting.ts';
import { createWorkers, type Workers } from './worker/worker-process.ts';

export type ImportTaskOptions = {
  database: Database;
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  objectLocation: ObjectLocation;
  bounds: WorkBounds;
  /** Folder for what cannot be read as it comes. */
  tempDir: string;
  /** What workers count tokens with, as it is when one starts. */
  counting: () => CountingModels | null;
  environment: Readonly<Record<string, string | undefined>>;
  log: { warn: (details: object, message: string) => void };
};

export type ImportTask = ReturnType<typeof createImportTask>;

// Each worker may take 400 MB, and one large file should not hold up a small one.
const task = defineTask<{ importId: string }>('imports.work', { concurrency: 2, retries: 6 });
const busySeconds = 5;

export function createImportTask(options: ImportTaskOptions) {
  const { database, jobs } = options;
  const target = () => ({ databaseUrl: database.url, objects: options.objectLocation, counting: options.counting() });
  const enqueue = (sql: Sql, importId: string) => enqueueWork(jobs, sql, importId);
  const workers = createWorkers(options.environment);
  jobs.handle(task, ({ importId }, run) => handle({ ...options, workers, target }, importId, run));
  return {
    enqueue,
    /** Enqueues what has no worker and waits for none. */
    resume: async (): Promise<void> => {
      for (const id of await listAbandoned(database)) await enqueue(database, id);
    },
    stop: workers.stop,
  };
}

async function enqueueWork(
  jobs: Pick<Jobs, 'enqueue'>,
  sql: Sql,
  importId: string,
  when: { afterSeconds?: number } = {},
): Promise<void> {
  const accountId = await accountOfImport(sql, importId);
  if (accountId !== null) await jobs.enqueue(sql, task, { importId }, { key: importId, accountId, ...when });
}

type Handling = ImportTaskOptions & { workers: Workers; target: () => WorkTarget<CountingModels> };

async function handle(options: Handling, importId: string, run: TaskRun): Promise<void> {
  const { database, jobs, workers, bounds, target } = options;
  const tempDir = tempFolderOf(options.tempDir, importId);
  const end = await workers.run({ ...target(), importId, bounds, tempDir }, run.signal);
  if (run.signal.aborted) {
    await returnAttempt(database, importId);
    throw new Error('The server stopped while an import was in flight; it goes on elsewhere.');
  }
  if (end.type === 'unavailable')
    options.log.warn({ reason: end.message, importId }, 'import waits: database, object store or disk unavailable');
  // The worker may have committed even if it failed, so the state is read anew.
  if (end.type === 'busy' || end.type === 'unavailable')
    return enqueueWork(jobs, database, importId, { afterSeconds: busySeconds });
  if (end.type !== 'done') {
    if (run.isLastAttempt) await giveUp(database, importId);
    throw new Error(`The worker of an import ended: ${end.message}`);
  }
  const { state, datasetId } = (await findRunning(database, importId)) ?? {};
  // A task of its own, because the import is there for training and export before its words can be searched.
  if (state === 'completed' && datasetId) await enqueueIndexing(database, jobs, datasetId);
}

async function giveUp(database: Database, importId: string): Promise<void> {
  const run = await findRunning(database, importId);
  const message = 'Something went wrong on our side, several times.';
  if (run) await failImport(database, run, { code: 'internal_error', message, hint: 'Try again later.', details: {} });
}
