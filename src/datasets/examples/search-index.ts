import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import { lockDataset } from '../datasets.store.ts';
import { indexWords, listUnsearched, mergeWords, noteAllSearched } from './search-index.store.ts';

/** Takes what an import added into the index of words. Until it has, a search reads those examples one by one. */
export const indexWordsTask = defineTask<{ datasetId: string }>('datasets.index_words', { retries: 20 });

export function enqueueIndexing(sql: Sql, jobs: Jobs, datasetId: string): Promise<void> {
  return jobs.enqueue(sql, indexWordsTask, { datasetId }, { key: datasetId });
}

/** What a queue has lost, or given up, is begun again when a process starts. */
export async function resumeIndexing(sql: Sql, jobs: Jobs): Promise<void> {
  for (const datasetId of await listUnsearched(sql)) await enqueueIndexing(sql, jobs, datasetId);
}

/** Examples of one statement: enough that sorting them into the index together pays, and their locks are short. */
const batchRows = 4_000;

/** The newest first, as lists begin with them. What is done is kept, so another attempt goes on from there. */
export async function runIndexWords(
  database: Database,
  { datasetId }: { datasetId: string },
  { signal }: Pick<TaskRun, 'signal'>,
): Promise<void> {
  let indexed = batchRows;
  while (indexed > 0) {
    signal.throwIfAborted();
    indexed = await database.transaction((tx) => indexWords(tx, { datasetId, limit: batchRows }));
    if (indexed > 0) await mergeWords(database);
  }
  await database.transaction(async (tx) => {
    // Under its lock, so that what another import adds meanwhile is not overlooked.
    await lockDataset(tx, datasetId);
    const isDone = await noteAllSearched(tx, datasetId);
    if (!isDone) throw new Error('Somebody else still takes examples into the index: this is looked at again.');
  });
}
