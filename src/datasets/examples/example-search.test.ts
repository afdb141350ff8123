import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { noteAddition } from '../search/additions.store.ts';
import { changeExample, removeExample } from './change-example.ts';
import { type Asked, openExamples } from './example-list.fixture.ts';

const { database, drop, add, addInBulk, datasetOf, page, all, freeze, makeBlocks } = await openExamples();
after(drop);

test('what is in no block yet is found all the same, and found alike once blocks are made', async () => {
  const seeded = await seedDataset(database);
  const words = Array.from({ length: 2_500 }, (_, n) => ({
    words: `word${n % 50} item${n} ${n % 3 === 0 ? 'third' : ''}`,
    split: n % 10 === 0 ? ('test' as const) : ('train' as const),
  }));
  await addInBulk(seeded.datasetId, words);
  await add(seeded.datasetId, [{ words: 'word7 alone' }]);
  const version = await freeze(seeded);
  const rows = (await page(await datasetOf(seeded), { q: 'word7' }, { limit: 100 })).rows;
  await database.transaction(async (tx) =>
    removeExample(tx, await lockForChange(tx, seeded.datasetId), rows[3]?.id ?? ''),
  );
  const [next] = await prepared({ words: 'word7 otherwise' });
  await database.transaction(async (tx) => {
    const change = { content: next?.example ?? undefined, split: undefined };
    await changeExample(tx, await lockForChange(tx, seeded.datasetId), { id: rows[5]?.id ?? '', change });
  });
  await addInBulk(
    seeded.datasetId,
    words.slice(0, 1_001).map(({ words: text }) => ({ words: `${text} again` })),
  );
  const dataset = await datasetOf(seeded);
  const asked: [Asked, number][] = [
    [{ q: 'word7' }, 50 + 20],
    [{ q: 'word7', version }, 51],
    [{ q: 'word7 third', split: 'train' }, 17 + 7],
    [{ q: 'third', split: 'test' }, 84],
    [{ q: 'third', split: 'test', version }, 84],
    [{ q: 'third', origin: 'import' }, 0],
    [{ q: 'word7', valid: false }, 0],
    [{ q: 'WORD7 item57' }, 2],
    [{ q: 'item24*' }, 111 + 11],
    [{ q: 'item24*', version }, 111],
    [{ q: 'word*', version }, 2_501],
    [{ q: 'item2400' }, 1],
    [{ q: 'word77' }, 0],
    [{ q: 'otherwise' }, 1],
    [{ q: 'yes' }, 2_500 + 1_001],
    [{ q: 'ite' }, 0],
  ];
  const before: Awaited<ReturnType<typeof all>>[] = [];
  for (const [one] of asked) before.push(await all(dataset, one, 500));
  assert.deepEqual(
    before.map(({ texts, total }) => [texts.length, total]),
    asked.map(([, total]) => [total, total]),
  );
  const check = async () => {
    for (const [index, [one]] of asked.entries())
      assert.deepEqual(await all(dataset, one, 500), before[index], `${index}: ${one.q}`);
  };
  await makeBlocks(dataset.id, 400);
  await check();
  // As if only the first blocks had been made.
  await database.query('delete from example_block_words where dataset_id = $1 and first >= 800', [dataset.id]);
  await database.query(`update example_additions set block_ends = '{400,800}', blocks_made = 2 where dataset_id = $1`, [
    dataset.id,
  ]);
  await check();
  await Promise.all([makeBlocks(dataset.id, 300), makeBlocks(dataset.id, 700)]);
  assert.deepEqual(
    await database.query('select from example_additions where dataset_id = $1 and not is_searched', [dataset.id]),
    [],
  );
  await check();
});

test('what a large addition and a single example both say is found twice, whichever came first', async () => {
  const seeded = await seedDataset(database);
  const common = Array.from({ length: 1_300 }, (_, n) => ({ words: `often item${n}` }));
  await add(seeded.datasetId, [{ words: 'often item1250' }]);
  await addInBulk(seeded.datasetId, common);
  await add(seeded.datasetId, [{ words: 'often item1251' }, { words: 'often item1251' }, { words: 'often new' }]);
  const [held] = (await page(await datasetOf(seeded), { q: 'new' }, { limit: 1 })).rows;
  const [change] = await prepared({ words: 'often item1252' });
  await database.transaction(async (tx) => {
    const content = change?.example ?? undefined;
    const what = { id: held?.id ?? '', change: { content, split: undefined } };
    await changeExample(tx, await lockForChange(tx, seeded.datasetId), what);
  });
  await addInBulk(seeded.datasetId, common.slice(1_253, 1_255));
  const check = async () => {
    const dataset = await datasetOf(seeded);
    for (const [q, count] of [
      ['item1249', 1],
      ['item1250', 2],
      ['item1251', 3],
      ['item1252', 2],
      ['item1253', 2],
      ['item1254 often', 2],
      ['new', 0],
    ] as const)
      assert.deepEqual(
        await all(dataset, { q }),
        { texts: Array(count).fill(`often ${q.split(' ')[0]}`), total: count },
        q,
      );
  };
  await check();
  await makeBlocks(seeded.datasetId, 500);
  await check();
});

test('where most of the examples outside of large additions match, those in them come in their places', async () => {
  const seeded = await seedDataset(database);
  const many = (name: string, length: number) => Array.from({ length }, (_, n) => ({ words: `often ${name}${n}` }));
  await add(seeded.datasetId, many('first', 800));
  await addInBulk(seeded.datasetId, many('bulk', 1_100));
  await add(seeded.datasetId, many('last', 300));
  const expected = [...many('first', 800), ...many('bulk', 1_100), ...many('last', 300)]
    .map(({ words }) => words)
    .reverse();
  const check = async () =>
    assert.deepEqual(await all(await datasetOf(seeded), { q: 'often' }, 500), { texts: expected, total: 2_200 });
  await check();
  await makeBlocks(seeded.datasetId, 1_000);
  await check();
});

test('a server of the version before cannot make blocks of words that are not there, nor search for them', async () => {
  const seeded = await seedDataset(database);
  const { datasetId } = seeded;
  await addInBulk(
    datasetId,
    Array.from({ length: 1_001 }, (_, n) => ({ words: `item${n}` })),
  );
  const append = `update example_additions set block_ends = block_ends || 1001 where dataset_id = $1`;
  await assert.rejects(database.query(append, [datasetId]), {
    constraint: 'example_additions_blocks_are_of_contents',
  });
  const addAlone = `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, valid, searched)
    select dataset_id, 'ex_1', 2, hash, 1, 'train', 'manual', true, true from example_contents where dataset_id = $1 and words is null`;
  await assert.rejects(database.query(addAlone, [datasetId]), { fault: 'service_unavailable' });
});

test('a content gets its words once, and nothing else of it changes', async () => {
  const { datasetId } = await seedDataset(database);
  await addInBulk(
    datasetId,
    Array.from({ length: 1_001 }, (_, n) => ({ words: `item${n}` })),
  );
  const change = (what: string) =>
    database.query(`update example_contents set ${what} where dataset_id = $1 and content like '%item1000"%'`, [
      datasetId,
    ]);
  await assert.rejects(change(`content = '{}', words = ' x '`), /never changes/);
  await change(`words = ' x '`);
  await assert.rejects(change(`words = ' y '`), /never changes/);
});

test('a search finds exactly the examples that hold all words, in the index, in blocks or in neither, and only in its dataset', async () => {
  const word = fc.constantFrom('lamp', 'Lamp', 'red', 'blue', '天气', '今天天气', 'a', 'lampshade');
  const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const other = await seedDataset(database);
  await add(other.datasetId, [{ words: 'lamp red blue 天气 a' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), text, async (texts, q) => {
      const seeded = await seedDataset(database);
      const [firstId = ''] = await add(
        seeded.datasetId,
        texts.map((words) => ({ words })),
      );
      const holds = (said: string) =>
        q
          .toLowerCase()
          .split(' ')
          .every((part) =>
            said
              .toLowerCase()
              .split(' ')
              .some((each) => each === part || (part === '天气' && each.includes(part))),
          );
      const dataset = await datasetOf(seeded);
      const found = await all(dataset, { q });
      assert.deepEqual(found.texts, texts.filter(holds).reverse(), q);
      await noteAddition(database, { datasetId: dataset.id, seq: 1n, firstId, examples: texts.length });
      assert.deepEqual(await all(dataset, { q }), found);
      await makeBlocks(dataset.id, 5);
      assert.deepEqual(await all(dataset, { q }), found);
    }),
    { numRuns: 15 },
  );
});
