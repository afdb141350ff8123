import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Sql } from '#db';
import { defineTask, type Jobs, type TaskRun } from '#jobs';
import {
  accountOfDataset,
  advanceUnindexed,
  deleteUnindexed,
  flushWords,
  gatherWords,
  insertUnindexed,
  insertWords,
  listUnindexedDatasets,
  listUnindexedExamples,
  lockUnindexed,
} from './index-examples.store.ts';
import { lexemesOf, type SearchableExample } from './lexemes.ts';

/** Indexes the words of large additions. Until then searches do not find those examples, and say that their count is not exact. */
export const indexExamplesTask = defineTask<{ datasetId: string }>('datasets.index_examples', { retries: 20 });

/** An addition of this many at most is in the index when it commits. */
export const indexedAtOnce = 5_000;
const batch = { limit: 10_000, bytes: 16_000_000 };

type DatasetChange = { datasetId: string; seq: bigint };

export async function indexExamples(
  tx: Sql,
  { datasetId, seq }: DatasetChange,
  examples: readonly SearchableExample[],
): Promise<void> {
  const rows: { id: string; lexemes: string }[] = [];
  for (const [at, example] of examples.entries()) {
    // Others are served in between.
    if (at % 100 === 99) await nextTurn();
    rows.push({ id: example.id, lexemes: lexemesOf(datasetId, example) });
  }
  await insertWords(tx, { datasetId, seq }, rows);
}

/** In the transaction of an addition: indexes it, or notes that this is to be done in the background. */
export async function indexAddition(tx: Sql, change: DatasetChange, { added }: { added: number }): Promise<void> {
  await insertUnindexed(tx, change);
  if (added <= indexedAtOnce) while (await indexNext(tx, change.datasetId));
}

/** In the transaction of a change that has brought rows of these bytes: indexes them, or leaves it to the background if they are large. */
export async function indexChange(
  tx: Sql,
  jobs: Pick<Jobs, 'enqueue'>,
  { datasetId, seq, bytes }: DatasetChange & { bytes: number },
): Promise<void> {
  if (bytes > batch.bytes) {
    await insertUnindexed(tx, { datasetId, seq });
    return enqueueIndexing(tx, jobs, datasetId);
  }
  await indexExamples(tx, { datasetId, seq }, await listUnindexedExamples(tx, { datasetId, seq, afterId: '' }, batch));
}

async function indexNext(tx: Sql, datasetId: string): Promise<boolean> {
  const change = await lockUnindexed(tx, datasetId);
  if (!change) return false;
  const examples = await listUnindexedExamples(tx, change, batch);
  const last = examples.at(-1);
  if (!last) {
    await deleteUnindexed(tx, change);
    return true;
  }
  await gatherWords(tx);
  await indexExamples(tx, change, examples);
  await flushWords(tx);
  await advanceUnindexed(tx, { ...change, afterId: last.id });
  return true;
}

/** Each batch stays when it is committed, so another attempt goes on from there. */
export async function runIndexing(
  database: Database,
  { datasetId }: { datasetId: string },
  { signal }: Pick<TaskRun, 'signal'>,
): Promise<void> {
  do signal.throwIfAborted();
  while (await database.transaction((tx) => indexNext(tx, datasetId)));
}

export async function enqueueIndexing(sql: Sql, jobs: Pick<Jobs, 'enqueue'>, datasetId: string): Promise<void> {
  const accountId = await accountOfDataset(sql, datasetId);
  if (accountId !== null) await jobs.enqueue(sql, indexExamplesTask, { datasetId }, { key: datasetId, accountId });
}

/** What a queue has lost, or given up, is begun again when a process starts. */
export async function resumeIndexing(sql: Sql, jobs: Jobs): Promise<void> {
  for (const datasetId of await listUnindexedDatasets(sql)) await enqueueIndexing(sql, jobs, datasetId);
}
