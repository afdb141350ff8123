import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createJobs, type Jobs } from '#jobs';
import { createCursorCodec } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { createDatasets, type Datasets } from '../datasets-room.ts';
import { endOfIds } from '../examples/example-list.store.ts';
import type { StorableExample } from '../examples/new-examples.ts';
import { hasUnindexed } from './index-examples.store.ts';
import { indexedAtOnce } from './index-examples.ts';
import { searchExamples } from './search-examples.ts';

let db: TestDatabase;
let jobs: Jobs;
let datasets: Datasets;

before(async () => {
  db = await createTestDatabase();
  jobs = createJobs({ url: db.url });
  datasets = createDatasets({
    database: db.database,
    jobs,
    models: openShippedModels(),
    cursors: createCursorCodec(Buffer.alloc(32, 7)),
    tokenCounter: { count: async () => [], close: async () => {} },
    limits: {
      maxDatasets: 9,
      maxExamplesPerDataset: 99_999,
      maxVersionsPerDataset: 9,
      maxIndexes: 9,
      maxImportBytes: 9,
      maxImportRows: 9,
      minTrainingExamples: 9,
    },
  });
  await jobs.start();
});

after(async () => {
  await jobs.stop(1_000);
  await db.drop();
});

const many = indexedAtOnce + 400;

async function addMany(datasetId: string, count = many): Promise<void> {
  const words = Array.from({ length: count }, (_, n) => ({ words: `often item${n}` }));
  const storables = (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));
  async function* examples(): AsyncGenerator<StorableExample[]> {
    yield storables;
  }
  await db.database.transaction((tx) => datasets.bulkAdd(tx, { datasetId, examples: examples(), dedupe: 'exact' }));
}

async function untilIndexed(datasetId: string): Promise<void> {
  for (const deadline = performance.now() + 120_000; await hasUnindexed(db.database, { datasetId, seq: 1n }); ) {
    assert.ok(performance.now() < deadline);
    await sleep(50);
  }
}

async function find(datasetId: string, text: string, before = endOfIds) {
  const state = { datasetId, seq: 1n, split: null, origin: null, valid: null };
  const page = { before, limit: 5 };
  const { rows, ...count } = await searchExamples(db.database, text, { state, page, knownCount: null });
  return { words: rows.map(({ json }) => JSON.parse(json).messages[0].content.split(' ')[1]), ...count };
}

test('a small addition is in the index when it commits', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId, 1_200);
  assert.deepEqual(await find(datasetId, 'item1199'), { words: ['item1199'], totalCount: 1, isExact: true });
});

test('a large addition is indexed by itself, and until then counts of searches are not exact', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  const early = await find(datasetId, 'often');
  assert.ok(early.isExact ? early.totalCount === many : early.totalCount <= many);
  await untilIndexed(datasetId);
  assert.deepEqual(await find(datasetId, 'often'), {
    words: Array.from({ length: 5 }, (_, n) => `item${many - 1 - n}`),
    totalCount: many,
    isExact: true,
  });
});

test('an addition that a queue has lost is indexed when a process starts', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId);
  await untilIndexed(datasetId);
  await db.database.query('delete from example_words where dataset_id = $1', [datasetId]);
  await db.database.query('insert into unindexed_examples (dataset_id, added_seq, after_id) values ($1, 1, $2)', [
    datasetId,
    '',
  ]);
  assert.deepEqual(await find(datasetId, 'item7'), { words: [], totalCount: 0, isExact: false });
  await datasets.start();
  await untilIndexed(datasetId);
  assert.deepEqual(await find(datasetId, 'item7'), { words: ['item7'], totalCount: 1, isExact: true });
});

test('more than 10,000 matches are not counted, and their pages go on', async () => {
  const { datasetId } = await seedDataset(db.database);
  await addMany(datasetId, 10_002);
  await untilIndexed(datasetId);
  const first = await find(datasetId, 'often');
  assert.deepEqual([first.totalCount, first.isExact], [10_000, false]);
  assert.deepEqual(first.words.slice(0, 2), ['item10001', 'item10000']);
  const [row] = await db.database.query<{ id: string }>(
    'select id from examples where dataset_id = $1 order by id offset 3 limit 1',
    [datasetId],
  );
  assert.deepEqual((await find(datasetId, 'often', row?.id)).words, ['item2', 'item1', 'item0']);
  assert.deepEqual(await find(datasetId, 'item1000*', endOfIds), {
    words: ['item10001', 'item10000', 'item1000'],
    totalCount: 3,
    isExact: true,
  });
});
