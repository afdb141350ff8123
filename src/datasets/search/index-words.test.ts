import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJobs, type Jobs } from '#jobs';
import { createCursorCodec } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { createDatasets, type Datasets } from '../datasets-room.ts';
import type { StorableExample } from '../examples/new-examples.ts';
import { runIndexWords } from './index-words.ts';

let db: TestDatabase;
let jobs: Jobs;
let datasets: Datasets;

before(async () => {
  db = await createTestDatabase();
  jobs = createJobs({ url: db.url });
  datasets = createDatasets({
    ...{ database: db.database, jobs, models: openShippedModels(), cursors: createCursorCodec(Buffer.alloc(32, 7)) },
    tokenCounter: { count: async () => [], close: async () => {} },
    limits: {
      ...{ maxDatasets: 9, maxExamplesPerDataset: 99_999, maxVersionsPerDataset: 9, maxIndexes: 9 },
      ...{ maxImportBytes: 9, maxImportRows: 9, minTrainingExamples: 9 },
    },
  });
  await jobs.start();
});

after(async () => {
  await jobs.stop(1_000);
  await db.drop();
});

async function addMany(datasetId: string): Promise<void> {
  const words = Array.from({ length: 1_400 }, (_, n) => ({ words: `item${n}` }));
  const storables = (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));
  async function* examples(): AsyncGenerator<StorableExample[]> {
    yield storables;
  }
  await db.database.transaction((tx) => datasets.bulkAdd(tx, { datasetId, examples: examples(), dedupe: 'exact' }));
}

async function untilSearched(datasetId: string): Promise<void> {
  const deadline = performance.now() + 120_000;
  for (;;) {
    const [row] = await db.database.query<{ done: boolean }>(
      'select is_searched as done from example_additions where dataset_id = $1',
      [datasetId],
    );
    if (row?.done) return;
    assert.ok(performance.now() < deadline, JSON.stringify(row));
    await sleep(50);
  }
}

test('what is added in bulk comes into blocks by itself', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilSearched(datasetId);
});

test('blocks that a queue has lost are made when a process starts', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilSearched(datasetId);
  await db.database.query('delete from example_block_words where dataset_id = $1', [datasetId]);
  await db.database.query(`update example_additions set block_ends = '{}', blocks_made = 0 where dataset_id = $1`, [
    datasetId,
  ]);
  await datasets.start();
  await untilSearched(datasetId);
});

test('what a server of the version before has added comes into blocks, too', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilSearched(datasetId);
  await db.database.query('delete from example_block_words where dataset_id = $1', [datasetId]);
  await db.database.query('delete from example_additions where dataset_id = $1', [datasetId]);
  await runIndexWords(db.database, { datasetId }, { signal: new AbortController().signal });
  const [row] = await db.database.query('select examples, block_ends from example_additions where dataset_id = $1', [
    datasetId,
  ]);
  assert.deepEqual(row, { examples: 1_400, block_ends: [1_400] });
});
