import type { Database, Sql } from '#db';
import { defineTask, type Jobs } from '#jobs';
import { deleteSome, listOrphans } from './documents.store.ts';
import type { VectorFiles } from './vectors/vector-files.ts';

const task = defineTask<{ indexId: string }>('indexes.clean_up', { retries: 20 });
const deletedAtOnce = 2_000;

/** Takes documents and vectors of an index away that is gone, or ended without success. */
export function createCleanUp(options: {
  database: Database;
  jobs: Pick<Jobs, 'handle' | 'enqueue'>;
  files: VectorFiles;
}) {
  const { database, jobs, files } = options;
  const enqueue = (sql: Sql, indexId: string) => jobs.enqueue(sql, task, { indexId }, { key: indexId });
  jobs.handle(task, async ({ indexId }, { signal }) => {
    while (await deleteSome(database, indexId, deletedAtOnce)) signal.throwIfAborted();
    await files.forget(indexId);
  });
  return {
    enqueue,
    /** Enqueues what the queue has lost, and what a build wrote after its index had ended. */
    resume: async (): Promise<void> => {
      for (const id of await listOrphans(database)) await enqueue(database, id);
    },
  };
}
