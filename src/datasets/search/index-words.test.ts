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
import { appendBlock, noteAddition } from './additions.store.ts';
import { awaitBlocks } from './await-blocks.ts';
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

async function loseBlocks(datasetId: string): Promise<void> {
  await db.database.query('delete from example_block_words where dataset_id = $1', [datasetId]);
  await db.database.query(`update example_additions set block_ends = '{}', blocks_made = 0 where dataset_id = $1`, [
    datasetId,
  ]);
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
  await loseBlocks(datasetId);
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

test('a search waits for the blocks of a large addition while somebody makes them, and no longer', async () => {
  const { datasetId } = await seedDataset(db.database);
  const state = { datasetId, seq: 1n };
  const usual = { rest: 900, pollMs: 5, stuckMs: 600_000, mostMs: 600_000 };
  const blocksOf = async (isMaking: () => Promise<boolean>, patience = usual) =>
    (await awaitBlocks(db.database, state, { isMaking, patience })).map(({ blockEnds }) => blockEnds);
  const [yes, no] = [async () => true, async () => false];
  await noteAddition(db.database, { ...state, firstId: 'ex_0000000', examples: 1_400 });
  assert.deepEqual(await blocksOf(no), [[]], 'nobody makes any');
  assert.deepEqual(await blocksOf(yes, { ...usual, stuckMs: 0 }), [[]], 'whoever makes them stands still');
  assert.deepEqual(await blocksOf(yes, { ...usual, rest: 1_400 }), [[]], 'there is little to look through');

  const waiting = blocksOf(yes);
  await appendBlock(db.database, { ...state, first: 0, end: 400 });
  const lastMoment = async () => {
    await appendBlock(db.database, { ...state, first: 400, end: 800 });
    return false;
  };
  assert.deepEqual(await blocksOf(lastMoment), [[400, 800]], 'somebody made the last ones meanwhile');
  assert.deepEqual(await waiting, [[400, 800]]);
});
