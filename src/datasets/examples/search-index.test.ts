import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJobs, type Jobs } from '#jobs';
import { createCursorCodec } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { createDatasets, type Datasets } from '../datasets-room.ts';
import type { StorableExample } from './new-examples.ts';

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
    const [row] = await db.database.query<{ unsearched: boolean; left: number }>(
      `select unsearched, (select count(*)::integer from examples where dataset_id = $1 and not searched) as left
         from datasets where id = $1`,
      [datasetId],
    );
    if (row && !row.unsearched) {
      assert.equal(row.left, 0);
      return;
    }
    assert.ok(performance.now() < deadline, JSON.stringify(row));
    await sleep(50);
  }
}

test('what is added in bulk comes into the index by itself', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilSearched(datasetId);
});

test('indexing that a queue has lost is begun again when a process starts', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilSearched(datasetId);
  await db.database.query('update examples set searched = false where dataset_id = $1', [datasetId]);
  await db.database.query('update datasets set unsearched = true where id = $1', [datasetId]);
  await datasets.start();
  await untilSearched(datasetId);
});
