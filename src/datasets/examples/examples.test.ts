import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, type saying, seedDataset } from '../datasets.fixture.ts';
import { findDataset } from '../datasets.store.ts';
import { type AddedExample, addExamples } from './add-examples.ts';
import { bulkAdd } from './bulk-add.ts';
import { changeExample, removeExample } from './change-example.ts';
import { endOfIds, type ListedExample, listLive } from './example-list.store.ts';
import type { ExampleFilter, Split, StorableExample } from './new-examples.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase({ maxConnections: 20 });
});
after(() => db.drop());

type Words = { words: string; split?: Split };
const maxExamples = 10_000;

async function add(datasetId: string, words: Words[], dedupe: 'none' | 'exact' = 'exact'): Promise<AddedExample[]> {
  const examples = await prepared(...words);
  return db.database.transaction((tx) => addExamples(tx, { datasetId, examples, dedupe, maxExamples }));
}

const change = async (datasetId: string, id: string, { words, split }: Partial<Words>) => {
  const [next] = words === undefined ? [] : await prepared({ words });
  return db.database.transaction(async (tx) =>
    changeExample(tx, await lockForChange(tx, datasetId), {
      id,
      change: { content: next?.example ?? undefined, split },
    }),
  );
};

const remove = (datasetId: string, id: string) =>
  db.database.transaction(async (tx) => removeExample(tx, await lockForChange(tx, datasetId), id));

const everything: ExampleFilter = { split: null, origin: null, valid: null };
const live = (datasetId: string, filter: Partial<ExampleFilter> = {}): Promise<ListedExample[]> =>
  listLive(db.database, { datasetId, ...everything, ...filter }, { before: endOfIds, limit: 1_000 });

/** What the counts of a dataset should be, from its rows. */
async function expectCounts(datasetId: string): Promise<void> {
  const rows = await live(datasetId);
  const sums = await db.database.query<{
    examples: number;
    tokens: bigint;
    bytes: bigint;
    split: Split;
    valid: boolean;
  }>(
    'select split, valid, sum(examples)::integer as examples, sum(bytes)::bigint as bytes from example_counts where dataset_id = $1 group by 1, 2',
    [datasetId],
  );
  for (const split of ['train', 'test'] as const) {
    const counted = sums.filter((sum) => sum.split === split);
    const of = rows.filter((row) => row.split === split);
    assert.equal(
      counted.reduce((sum, { examples }) => sum + examples, 0),
      of.length,
    );
    assert.equal(
      counted.reduce((sum, { bytes }) => sum + Number(bytes), 0),
      of.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0),
    );
  }
}

test('of fifty who add the same content at once, one creates it', async () => {
  const { datasetId, project } = await seedDataset(db.database);
  const results = await Promise.all(Array.from({ length: 50 }, () => add(datasetId, [{ words: 'the same' }])));
  const statuses = results.map(([result]) => result?.status);
  assert.equal(statuses.filter((status) => status === 'created').length, 1);
  assert.equal(statuses.filter((status) => status === 'duplicate').length, 49);
  assert.equal((await live(datasetId)).length, 1);
  const dataset = await findDataset(db.database, { projectId: project.id, id: datasetId });
  assert.deepEqual([dataset?.trainCount, dataset?.headSeq], [1, 1n]);
});

test('one bad example or duplicate never sinks the rest, and results keep their places', async () => {
  const { datasetId } = await seedDataset(db.database);
  await add(datasetId, [{ words: 'old' }]);
  const examples = await prepared({ words: 'a' }, { words: ' ' }, { words: 'old' }, { words: 'a' }, { words: 'b' });
  const results = await db.database.transaction((tx) =>
    addExamples(tx, { datasetId, examples, dedupe: 'exact', maxExamples }),
  );
  assert.deepEqual(
    results.map(({ status, id, issues }) => `${status} ${id !== null} ${issues.length}`),
    ['created true 0', 'rejected false 1', 'duplicate false 0', 'duplicate false 0', 'created true 0'],
  );
  await expectCounts(datasetId);
});

test('a removed content may come again, and without deduplication any number of times', async () => {
  const { datasetId } = await seedDataset(db.database);
  const [first] = await add(datasetId, [{ words: 'x' }]);
  await remove(datasetId, first?.id ?? '');
  await assert.rejects(remove(datasetId, first?.id ?? ''), { fault: 'not_found' });
  assert.equal((await add(datasetId, [{ words: 'x' }]))[0]?.status, 'created');
  assert.equal((await add(datasetId, [{ words: 'x' }, { words: 'x' }], 'none')).length, 2);
  assert.equal((await live(datasetId)).length, 3);
  await expectCounts(datasetId);
});

test('examples are listed newest first, in the order in which they were added', async () => {
  const { datasetId } = await seedDataset(db.database);
  await add(
    datasetId,
    Array.from({ length: 100 }, (_, n) => ({ words: `w${n}` })),
  );
  const ids = (await live(datasetId)).map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted().reverse());
  const texts = (await live(datasetId)).map(({ json }) => /w\d+/.exec(json)?.[0]);
  assert.deepEqual(
    texts,
    Array.from({ length: 100 }, (_, n) => `w${99 - n}`),
  );
});

test('changes of different parts of one example at once all stay', async () => {
  const { datasetId } = await seedDataset(db.database);
  const [added] = await add(datasetId, [{ words: 'before' }]);
  const id = added?.id ?? '';
  await Promise.all([change(datasetId, id, { words: 'after' }), change(datasetId, id, { split: 'test' })]);
  const [row, ...others] = await live(datasetId);
  assert.equal(others.length, 0);
  assert.match(row?.json ?? '', /after/);
  assert.equal(row?.split, 'test');
  await expectCounts(datasetId);
});

test('a change to what already is changes nothing', async () => {
  const { datasetId, project } = await seedDataset(db.database);
  const [added] = await add(datasetId, [{ words: 'same' }]);
  const before = await findDataset(db.database, { projectId: project.id, id: datasetId });
  const row = await change(datasetId, added?.id ?? '', { words: 'same', split: 'train' });
  assert.equal(row.updatedAt, null);
  assert.deepEqual(await findDataset(db.database, { projectId: project.id, id: datasetId }), before);
});

test('counts are exact whatever is added, changed and removed at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({
          act: fc.constantFrom('add', 'add', 'change', 'split', 'remove'),
          of: fc.nat(9),
          words: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f'),
        }),
        { minLength: 4, maxLength: 16 },
      ),
      async (acts) => {
        const { datasetId } = await seedDataset(db.database);
        const seeded = await add(
          datasetId,
          Array.from({ length: 10 }, (_, n) => ({ words: `seed ${n}` })),
        );
        const idOf = (of: number) => seeded[of]?.id ?? '';
        const missing = (error: { fault?: string }) => assert.equal(error.fault, 'not_found');
        await Promise.all(
          acts.map(({ act, of, words }): Promise<unknown> => {
            if (act === 'add') return add(datasetId, [{ words, split: of % 2 === 0 ? 'train' : 'test' }]);
            if (act === 'change') return change(datasetId, idOf(of), { words }).catch(missing);
            if (act === 'split') return change(datasetId, idOf(of), { split: 'test' }).catch(missing);
            return remove(datasetId, idOf(of)).catch(missing);
          }),
        );
        await expectCounts(datasetId);
        for (const split of ['train', 'test'] as const)
          assert.ok((await live(datasetId, { split })).every((row) => row.split === split));
      },
    ),
    { numRuns: 12 },
  );
});

async function* inBatches(examples: readonly StorableExample[], size: number) {
  for (let at = 0; at < examples.length; at += size) yield examples.slice(at, at + size);
}

const storables = async (words: readonly string[]) =>
  (await prepared(...words.map((each) => ({ words: each })))).flatMap(({ example }) => (example ? [example] : []));

test('a bulk addition keeps any text whole, and takes up contents of which no example is alive', async () => {
  const { datasetId } = await seedDataset(db.database);
  const [former] = await add(datasetId, [{ words: 'gone' }, { words: 'stays' }]);
  await remove(datasetId, former?.id ?? '');
  const said = [
    'gone',
    'stays',
    'tab\tnewline\nback\\slash "quoted"',
    'ä漢字😀',
    'x'.repeat(400_000),
    'twice',
    'twice',
  ];
  const examples = (await storables(said)).map((example, n) => ({
    ...example,
    issues: n === 3 ? [{ code: 'duplicate' as const, pointer: '/ä', message: '"', hint: null }] : [],
  }));
  const addAll = (dedupe: 'none' | 'exact') =>
    db.database.transaction((tx) => bulkAdd(tx, { datasetId, examples: inBatches(examples, 2), dedupe, maxExamples }));
  assert.deepEqual(await addAll('exact'), { added: 5, duplicates: 2 });
  const heard = (rows: ListedExample[]) =>
    rows.map(({ json }) => (JSON.parse(json) as ReturnType<typeof saying>).messages[0]?.content).toReversed();
  assert.deepEqual(heard(await live(datasetId)), ['stays', 'gone', ...said.slice(2, 6)]);
  assert.deepEqual((await live(datasetId))[2]?.issues, examples[3]?.issues);
  assert.deepEqual(await addAll('none'), { added: 7, duplicates: 0 });
  assert.deepEqual(heard(await live(datasetId)).slice(6), said);
});

test('a bulk addition leaves duplicates out, also of former batches and of what is there, and all of it or nothing stays', async () => {
  const { datasetId } = await seedDataset(db.database);
  await add(datasetId, [{ words: 'w7' }]);
  const examples = await storables(Array.from({ length: 5_000 }, (_, n) => `w${n % 4_000}`));
  const addition = { datasetId, examples: inBatches(examples, 300), dedupe: 'exact' as const, maxExamples };
  const counts = await db.database.transaction((tx) => bulkAdd(tx, addition));
  assert.deepEqual(counts, { added: 3_999, duplicates: 1_001 });
  await expectTotal(datasetId, 4_000);
  const more = await storables(Array.from({ length: 10_000 }, (_, n) => `v${n}`));
  const tooMany = { datasetId, examples: inBatches(more, 1_000), dedupe: 'exact' as const, maxExamples };
  await assert.rejects(
    db.database.transaction((tx) => bulkAdd(tx, tooMany)),
    { fault: 'state_conflict' },
  );
  await expectTotal(datasetId, 4_000);
});

async function expectTotal(datasetId: string, total: number): Promise<void> {
  const [row] = await db.database.query<{ rows: number; counted: number }>(
    `select (select count(*)::integer from examples where dataset_id = $1) as rows,
            (select sum(examples)::integer from example_counts where dataset_id = $1) as counted`,
    [datasetId],
  );
  assert.deepEqual(row, { rows: total, counted: total });
}

test('while much is written into a dataset, other changes of it are refused and readers go on', async () => {
  const { datasetId } = await seedDataset(db.database);
  await add(datasetId, [{ words: 'x' }]);
  const [begun, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  async function* slow() {
    yield await storables(['one']);
    begun.resolve();
    await going.promise;
  }
  const bulk = db.database.transaction((tx) =>
    bulkAdd(tx, { datasetId, examples: slow(), dedupe: 'exact', maxExamples }),
  );
  await begun.promise;
  assert.equal((await live(datasetId)).length, 1);
  await assert.rejects(add(datasetId, [{ words: 'y' }]), { fault: 'in_use' });
  going.resolve();
  await bulk;
  assert.equal((await add(datasetId, [{ words: 'y' }]))[0]?.status, 'created');
  assert.equal((await live(datasetId)).length, 3);
});

test('rows that versions are made of refuse every change but their end', async () => {
  const { datasetId } = await seedDataset(db.database);
  const [added] = await add(datasetId, [{ words: 'x' }]);
  await remove(datasetId, added?.id ?? '');
  for (const statement of [
    "update examples set split = 'test' where dataset_id = $1",
    'update examples set removed_seq = 9 where dataset_id = $1',
    'delete from examples where dataset_id = $1',
    "update example_contents set content = '{}' where dataset_id = $1",
    'delete from example_contents where dataset_id = $1',
  ])
    await assert.rejects(db.database.query(statement, [datasetId]), /never changes/, statement);
});
