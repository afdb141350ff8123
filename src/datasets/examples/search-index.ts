import type { Database } from '#db';
import { defineTask, type TaskRun } from '#jobs';
import { indexWords } from './search-index.store.ts';

/** Takes what an import added into the index of words. Until it has, a search reads those examples one by one. */
export const indexWordsTask = defineTask<{ datasetId: string }>('datasets.index_words', { retries: 20 });

/** Examples of one statement: each is short, so that nobody waits long for its locks. */
const batchRows = 500;

/** The newest first, as lists begin with them. What is done is kept, so another attempt goes on from there. */
export async function runIndexWords(
  database: Database,
  { datasetId }: { datasetId: string },
  { signal }: Pick<TaskRun, 'signal'>,
): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    if ((await indexWords(database, { datasetId, limit: batchRows })) < batchRows) return;
  }
}
