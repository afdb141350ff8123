import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { countChanges, listChanges } from '../versions/version-changes.store.ts';
import { listExamplesAt, type VersionPosition } from '../versions/versions.store.ts';
import { changeExample, removeExample } from './change-example.ts';
import type { ExampleFilter } from './example-filter.ts';
import { openExamples } from './example-list.fixture.ts';
import { countState, endOfIds, findExample, type ListedExample, listLive, listState } from './example-list.store.ts';
import { type Form, importFirst, storables, type Words } from './first-import.fixture.ts';
import { countLongExamples } from './long-examples.store.ts';
import { overLimit, type Split, type StorableExample } from './new-examples.ts';

const { database, drop, add, addInBulk, datasetOf, all, freeze, makeBlocks } = await openExamples();
after(drop);

type Seeded = Awaited<ReturnType<typeof seedDataset>>;
const everything: ExampleFilter = { split: null, origin: null, valid: null };
const liveOf = ({ datasetId }: Seeded, limit = 10_000) =>
  listLive(database, { datasetId, ...everything }, { before: endOfIds, limit });

/** Of each, what does not depend on when it was made. */
const plain = ({ id: _, datasetId: _of, updatedAt, hash, ...rest }: ListedExample) => ({
  ...rest,
  hash: hash.toString('hex'),
  isChanged: updatedAt !== null,
});

const filters: ExampleFilter[] = (['train', 'test', null] as const).flatMap((split) =>
  (['import', 'manual', null] as const).flatMap((origin) =>
    [true, false, null].map((valid) => ({ split, origin, valid })),
  ),
);

/** All pages, two examples to each. */
async function pages(page: (at: { before: string; limit: number }) => Promise<ListedExample[]>) {
  const rows: ListedExample[] = [];
  for (let before = endOfIds; ; before = rows.at(-1)?.id ?? '') {
    const next = await page({ before, limit: 2 });
    rows.push(...next);
    if (next.length < 2) return rows.map(plain);
  }
}

/** What every way of looking at a dataset shows, now and as it was. */
async function seen(seeded: Seeded, steps: number) {
  const { datasetId } = seeded;
  const lists: unknown[] = [];
  for (const filter of filters) {
    lists.push(await pages((at) => listLive(database, { datasetId, ...filter }, at)));
    for (let seq = 0n; seq <= BigInt(steps) + 1n; seq++) {
      const state = { datasetId, seq, ...filter };
      const rows = await pages((at) => listState(database, state, at));
      assert.equal(await countState(database, state), rows.length);
      lists.push(rows);
    }
  }
  for (const seq of [null, ...Array(steps + 2).keys()])
    for (const tokens of [0, 3, 5, 10])
      lists.push(await countLongExamples(database, { datasetId, seq: seq === null ? null : BigInt(seq), tokens }));
  const one = async ({ id }: ListedExample) => findExample(database, datasetId, id);
  const each = await Promise.all((await liveOf(seeded)).map(one));
  const changes: unknown[] = [];
  for (let fromSeq = 0n; fromSeq <= BigInt(steps) + 1n; fromSeq++) {
    const stretch = { datasetId, fromSeq, toSeq: BigInt(steps) + 1n };
    const rows = await listChanges(database, stretch, { kind: null, before: endOfIds, limit: 1_000 });
    changes.push([await countChanges(database, stretch), rows.map(({ id: _, ...change }) => change)]);
  }
  const dataset = await datasetOf(seeded);
  const found: unknown[] = [];
  for (const q of ['lamp', 'red*', '天气'])
    found.push(await all(dataset, { q }), await all(dataset, { q, split: 'test' }));
  return { lists, each: each.map((example) => example && plain(example)), changes, found };
}

type Step = { kind: 'add' | 'change' | 'split' | 'remove'; words: string; split: Split; which: number };

async function take(seeded: Seeded, { kind, words, split, which }: Step): Promise<void> {
  if (kind === 'add') return void (await add(seeded.datasetId, [{ words, split }]));
  const examples = await liveOf(seeded);
  const id = examples[which % examples.length]?.id;
  if (id === undefined) return;
  const [next] = await prepared({ words });
  await database.transaction(async (tx) => {
    const dataset = await lockForChange(tx, seeded.datasetId);
    if (kind === 'remove') return removeExample(tx, dataset, id);
    const content = kind === 'change' ? (next?.example ?? undefined) : undefined;
    await changeExample(tx, dataset, { id, change: { content, split } });
  });
}

/** Every third is too long for the model. */
async function examplesOf(words: readonly Words[]): Promise<StorableExample[]> {
  const tooLong = { valid: false, issues: [overLimit(9, 8)] };
  return (await storables(words)).map((example, n) => (n % 3 === 2 ? { ...example, ...tooLong } : example));
}

const split = fc.constantFrom<Split>('train', 'test');
const said = fc.array(fc.constantFrom('lamp', 'red', 'reddish', 'blue', '今天天气', 'a'), {
  minLength: 1,
  maxLength: 3,
});
const words = said.map((parts) => parts.join(' '));
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('add', 'change', 'split', 'remove'),
  ...{ words, split, which: fc.nat(9) },
});

test('nobody can tell packed examples from rows, whatever is added, changed and removed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.record({ words, split }), { minLength: 1, maxLength: 9, selector: (each) => each.words }),
      fc.array(step, { maxLength: 5 }),
      fc.integer({ min: 1, max: 4 }),
      async (first, steps, together) => {
        const examples = await examplesOf(first);
        const seed = async (form: Form) => {
          const seeded = await seedDataset(database);
          await importFirst(database, { datasetId: seeded.datasetId, examples, form, together });
          for (const each of steps) await take(seeded, each);
          return seeded;
        };
        const [packed, rows] = [await seed('packs'), await seed('rows')];
        const expected = await seen(rows, steps.length);
        assert.deepEqual(await seen(packed, steps.length), expected);
        for (const { datasetId } of [packed, rows]) await makeBlocks(datasetId, 4);
        assert.deepEqual(await seen(packed, steps.length), expected);
      },
    ),
    { numRuns: 6 },
  );
});

/** More than stand in one row of places, and more than a pack takes. */
const many = Array.from(
  { length: 1_300 },
  (_, n): Words => ({ words: `item${n} ${'long '.repeat(n % 90)}`, split: n % 10 === 0 ? 'test' : 'train' }),
);

test('a packed dataset is read in the order of its file and in the order of a version, in any portions', async () => {
  const examples = await examplesOf(many);
  const seed = async (form: Form) => {
    const seeded = await seedDataset(database);
    await importFirst(database, { datasetId: seeded.datasetId, examples, form });
    return seeded;
  };
  const [packed, rows] = [await seed('packs'), await seed('rows')];
  const whole = async (seeded: Seeded) => (await liveOf(seeded)).map(plain);
  assert.deepEqual(await whole(packed), await whole(rows));
  for (const filter of [
    { split: 'test', origin: 'import', valid: false },
    { split: 'train', origin: null, valid: true },
  ] as const)
    assert.deepEqual(
      await pages((at) => listLive(database, { datasetId: packed.datasetId, ...filter }, at)),
      await pages((at) => listLive(database, { datasetId: rows.datasetId, ...filter }, at)),
    );
  const inPortions = async ({ datasetId }: Seeded, portion: { limit: number; bytes: number }) => {
    const read: object[] = [];
    for (let after: VersionPosition | null = null; ; ) {
      const some = await listExamplesAt(database, { datasetId, seq: 1n, split: null }, { after, ...portion });
      const last = some.at(-1);
      if (!last) return read;
      assert.ok(some.length <= portion.limit);
      read.push(...some.map(({ id, ...example }) => ({ ...example, place: id.slice(-7) })));
      after = last;
    }
  };
  const expected = await inPortions(rows, { limit: 1_000, bytes: 4_000_000 });
  assert.equal(expected.length, examples.filter(({ valid }) => valid).length);
  for (const portion of [
    { limit: 1_000, bytes: 4_000_000 },
    { limit: 13, bytes: 4_000_000 },
    { limit: 1_000, bytes: 1 },
    { limit: 1_000, bytes: 3_000 },
  ])
    assert.deepEqual(await inPortions(packed, portion), expected, JSON.stringify(portion));
  await makeBlocks(packed.datasetId, 400);
  assert.deepEqual((await all(await datasetOf(packed), { q: 'item7*' })).total, 111);
});

test('what is added in bulk to a packed dataset is found beside it, and once where it is there', async () => {
  const seeded = await seedDataset(database);
  await importFirst(database, { datasetId: seeded.datasetId, examples: await examplesOf(many), form: 'packs' });
  const before = await freeze(seeded);
  await addInBulk(
    seeded.datasetId,
    many.slice(0, 1_100).map(({ words: text, split: of }) => ({ words: text, split: of })),
  );
  const after = await freeze(seeded);
  assert.equal(after.trainCount + after.testCount, before.trainCount + before.testCount + 1_100);
  assert.equal((await all(await datasetOf(seeded), { q: 'item17' })).total, 2);
});

test('a content that is larger than a page has a pack of its own, and is read like any other', async () => {
  const seeded = await seedDataset(database);
  const sizes = [10, 3_000, 9_000, 300_000, 7_000, 100, 1_000_000];
  const examples = await storables(sizes.map((size, n) => ({ words: `big${n} ${'x'.repeat(size)}`, split: 'train' })));
  await importFirst(database, { datasetId: seeded.datasetId, examples, form: 'packs' });
  const rows = await liveOf(seeded);
  assert.deepEqual(
    rows.map(({ json }) => json),
    examples.map(({ json }) => json).reverse(),
  );
  await makeBlocks(seeded.datasetId, 3);
  assert.equal((await all(await datasetOf(seeded), { q: 'big3' })).total, 1);
});
