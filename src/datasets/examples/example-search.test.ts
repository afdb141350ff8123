import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { changeExample, removeExample } from './change-example.ts';
import { openExamples, type PartialQuery } from './example-list.fixture.ts';

const { database, drop, add, addInBulk, datasetOf, page, all, freeze } = await openExamples();
after(drop);

test('searches find what states and filters hold, whether examples were added one by one or in bulk', async () => {
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
  const asked: [PartialQuery, number][] = [
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
  for (const [query, count] of asked) {
    const { texts, total } = await all(dataset, query, 500);
    assert.deepEqual([texts.length, total], [count, count], JSON.stringify(query.q));
  }
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
});

test('frequent words give examples in their order, however they were added', async () => {
  const seeded = await seedDataset(database);
  const many = (name: string, length: number) => Array.from({ length }, (_, n) => ({ words: `often ${name}${n}` }));
  await add(seeded.datasetId, many('first', 800));
  await addInBulk(seeded.datasetId, many('bulk', 1_100));
  await add(seeded.datasetId, many('last', 300));
  const expected = [...many('first', 800), ...many('bulk', 1_100), ...many('last', 300)]
    .map(({ words }) => words)
    .reverse();
  assert.deepEqual(await all(await datasetOf(seeded), { q: 'often' }, 500), { texts: expected, total: 2_200 });
});

test('the longest text of any script is indexed', async () => {
  const seeded = await seedDataset(database);
  const different = (first: number) => String.fromCodePoint(...Array.from({ length: 20_000 }, (_, n) => first + n));
  const chinese = Array.from({ length: 6 }, (_, n) =>
    [...different(0x4e00)].map((_each, at, all) => all[(at * (2 * n + 1)) % all.length]).join(''),
  ).join('');
  const ids = await add(seeded.datasetId, [
    { words: chinese },
    { words: [...chinese].join(' ') },
    { words: 'x'.repeat(200_000) },
  ]);
  assert.equal(ids.length, 3);
  assert.equal((await all(await datasetOf(seeded), { q: chinese.slice(0, 2) })).total, 1);
});

test('a search finds exactly the examples that hold all words, and only in its dataset', async () => {
  const word = fc.constantFrom('lamp', 'Lamp', 'red', 'blue', '天气', '今天天气', 'a', 'lampshade');
  const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const other = await seedDataset(database);
  await add(other.datasetId, [{ words: 'lamp red blue 天气 a' }]);
  await fc.assert(
    fc.asyncProperty(fc.array(text, { minLength: 1, maxLength: 12 }), text, async (texts, q) => {
      const seeded = await seedDataset(database);
      await add(
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
    }),
    { numRuns: 15 },
  );
});
