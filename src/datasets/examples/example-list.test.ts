import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { lockForChange } from '../dataset-access.ts';
import { seedDataset } from '../datasets.fixture.ts';
import { removeExample } from './change-example.ts';
import { openExamples, type PartialQuery, type Words } from './example-list.fixture.ts';

const { database, drop, add, datasetOf, page, all, freeze } = await openExamples();
after(drop);

test('however deep the pages, each example comes once, newest first, with the count of all', async () => {
  const seeded = await seedDataset(database);
  const words = Array.from({ length: 900 }, (_, n) => ({
    words: `w${n} ${n % 3 === 0 ? 'third' : 'other'}`,
    split: n % 10 === 0 ? ('test' as const) : ('train' as const),
  }));
  await add(seeded.datasetId, words);
  const dataset = await datasetOf(seeded);
  const expected = words.toReversed();
  for (const limit of [7, 100]) {
    for (const [asked, matches] of [
      [{}, () => true],
      [{ split: 'test' }, (each: Words) => each.split === 'test'],
      [{ q: 'third' }, ({ words: text }: Words) => text.includes('third')],
      [{ q: 'third', split: 'test' }, (each: Words) => each.words.includes('third') && each.split === 'test'],
      [{ origin: 'import' }, () => false],
      [{ valid: false }, () => false],
    ] as const) {
      const { texts, total } = await all(dataset, asked, limit);
      assert.deepEqual(
        texts,
        expected.filter(matches).map(({ words: text }) => text),
        JSON.stringify(asked),
      );
      assert.equal(total, texts.length);
    }
  }
});

test('versions are searched as they were', async () => {
  const seeded = await seedDataset(database);
  const [first = ''] = await add(seeded.datasetId, [{ words: 'red lamp' }, { words: 'blue lamp' }]);
  const version = await freeze(seeded);
  await database.transaction(async (tx) => removeExample(tx, await lockForChange(tx, seeded.datasetId), first));
  await add(seeded.datasetId, [{ words: 'green lamp' }]);
  const dataset = await datasetOf(seeded);
  assert.deepEqual(await all(dataset, { q: 'lamp' }), { texts: ['green lamp', 'blue lamp'], total: 2 });
  assert.deepEqual(await all(dataset, { q: 'lamp', version }), { texts: ['blue lamp', 'red lamp'], total: 2 });
  assert.deepEqual(await all(dataset, { version }), { texts: ['blue lamp', 'red lamp'], total: 2 });
  assert.deepEqual(await all(dataset, { version, origin: 'manual' }), { texts: ['blue lamp', 'red lamp'], total: 2 });
  assert.deepEqual(await all(dataset, { version, valid: false }), { texts: [], total: 0 });
});

test('a cursor belongs to the dataset, the search text and every filter', async () => {
  const [seeded, other] = [await seedDataset(database), await seedDataset(database)];
  for (const { datasetId } of [seeded, other])
    await add(
      datasetId,
      Array.from({ length: 4 }, (_, n) => ({ words: `lamp red ${n}` })),
    );
  const version = await freeze(seeded);
  const [dataset, elsewhere] = [await datasetOf(seeded), await datasetOf(other)];
  const asked: PartialQuery[] = [{}, { q: 'lamp' }, { q: 'red' }, { split: 'train' }, { valid: true }, { version }];
  for (const one of asked) {
    const found = await page(dataset, one, { limit: 1 });
    const [row] = found.rows;
    assert.ok(row);
    const cursor = found.cursorOf(row);
    assert.equal((await page(dataset, one, { limit: 3, cursor })).rows.length, 3);
    for (const foreign of asked)
      if (foreign !== one)
        await assert.rejects(page(dataset, foreign, { limit: 1, cursor }), { fault: 'invalid_cursor' });
    await assert.rejects(page(elsewhere, one, { limit: 1, cursor }), { fault: 'invalid_cursor' });
  }
});

test('the count of a search follows changes between its pages', async () => {
  const seeded = await seedDataset(database);
  await add(seeded.datasetId, [{ words: 'lamp 1' }, { words: 'lamp 2' }, { words: 'lamp 3' }]);
  const first = await page(await datasetOf(seeded), { q: 'lamp' }, { limit: 1 });
  const [row] = first.rows;
  assert.ok(row);
  await add(seeded.datasetId, [{ words: 'lamp 4' }]);
  const second = await page(await datasetOf(seeded), { q: 'lamp' }, { limit: 9, cursor: first.cursorOf(row) });
  assert.deepEqual([first.totalCount, second.totalCount, second.rows.length], [3, 4, 2]);
});
