import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { streamLines } from '../versions/version-content.ts';
import { freezeVersion } from '../versions/versions.ts';
import { addExamples } from './add-examples.ts';
import { findContents } from './bulk-writes.store.ts';
import { changeExample, removeExample } from './change-example.ts';
import { endOfIds, listLive } from './example-list.store.ts';
import { type Form, importFirst, storables, type Words } from './first-import.fixture.ts';
import type { Split, StorableExample } from './new-examples.ts';
import { findLiveContents } from './same-content.store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.drop());

type Seeded = Awaited<ReturnType<typeof seedDataset>>;

async function seedFirst(words: readonly Words[], form: Form): Promise<Seeded> {
  const seeded = await seedDataset(db.database);
  await importFirst(db.database, { datasetId: seeded.datasetId, examples: await storables(words), form, together: 2 });
  return seeded;
}

const everything = { split: null, origin: null, valid: null };
const live = async ({ datasetId }: Seeded): Promise<string[]> => {
  const rows = await listLive(db.database, { datasetId, ...everything }, { before: endOfIds, limit: 1_000 });
  return rows.map(({ id }) => id).reverse();
};

type Step = { kind: 'exact' | 'none' | 'change' | 'split' | 'remove'; words: Words; which: number };

/** What came of it, which must not depend on how equal contents are found. */
async function take(seeded: Seeded, { kind, words, which }: Step): Promise<unknown> {
  const { datasetId } = seeded;
  const examples = await prepared(words);
  if (kind === 'exact' || kind === 'none') {
    const added = await db.database.transaction((tx) =>
      addExamples(tx, { datasetId, examples, dedupe: kind, maxExamples: 1_000 }),
    );
    return added.map(({ id }) => id !== null);
  }
  const ids = await live(seeded);
  const id = ids[which % ids.length];
  if (id === undefined) return 'nothing is left';
  await db.database.transaction(async (tx) => {
    const dataset = await lockForChange(tx, datasetId);
    if (kind === 'remove') return removeExample(tx, dataset, id);
    const content = kind === 'change' ? (examples[0]?.example ?? undefined) : undefined;
    await changeExample(tx, dataset, { id, change: { content, split: words.split } });
  });
  return (await live(seeded)).indexOf(id);
}

/** What says what, found by each of those who look for equal contents, now and as it was. */
async function found({ datasetId, author }: Seeded, asked: StorableExample[], steps: number) {
  const hashes = asked.map(({ hash }) => hash);
  const hex = hashes.map((hash) => hash.toString('hex'));
  const source = { kind: 'manual', id: null } as const;
  const { version } = await db.database.transaction((tx) =>
    freezeVersion(tx, { datasetId, author, maxVersions: 10, label: null, source }),
  );
  const files: string[] = [];
  for (let seq = 1n; seq <= BigInt(steps + 1); seq++)
    for await (const lines of streamLines(db.database, { datasetId, seq })) files.push(`${seq} ${lines}`);
  return {
    live: [...(await findLiveContents(db.database, datasetId, hex))].sort(),
    known: await knownOf(datasetId, hashes),
    ...{ sha256: version.sha256, train: version.trainCount, test: version.testCount, files },
  };
}

async function knownOf(datasetId: string, hashes: readonly Buffer[]): Promise<[string, boolean][]> {
  const known = await findContents(db.database, datasetId, hashes);
  return Array.from(known, ([hash, { isLive }]): [string, boolean] => [hash, isLive]).sort();
}

/** What the rows themselves say. */
async function inRows({ datasetId }: Seeded, asked: StorableExample[]) {
  const rows = await db.database.query<{ hash: string; live: boolean }>(
    `select encode(content_hash, 'hex') as hash, bool_or(removed_seq = 9223372036854775807) as live
       from examples where dataset_id = $1 group by content_hash`,
    [datasetId],
  );
  const known = rows.filter(({ hash }) => asked.some((one) => one.hash.toString('hex') === hash));
  return {
    live: known.flatMap(({ hash, live }) => (live ? [hash] : [])).sort(),
    known: known.map(({ hash, live }) => [hash, live]).sort(),
  };
}

const vocabulary = ['lamp', 'red', 'blue', 'green', '天气'];
const split = fc.constantFrom<Split>('train', 'test');
const words = fc.record({ words: fc.constantFrom(...vocabulary), split });
const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('exact', 'none', 'change', 'split', 'remove'),
  words,
  which: fc.nat(9),
});

test('examples that say the same are found in whatever form they came, and a dataset becomes the same', async () => {
  const asked = await storables(vocabulary.map((said) => ({ words: said, split: 'train' })));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(words, { minLength: 1, maxLength: 4, selector: (each) => each.words }),
      fc.array(step, { maxLength: 6 }),
      async (first, steps) => {
        const rows = await seedFirst(first, 'rows');
        const others = [await seedFirst(first, 'packs'), await seedFirst(first, 'knowing')];
        for (const each of steps) {
          const expected = await take(rows, each);
          for (const other of others) assert.deepEqual(await take(other, each), expected);
        }
        const expected = await found(rows, asked, steps.length);
        for (const other of others) assert.deepEqual(await found(other, asked, steps.length), expected);
        const { live, known } = expected;
        assert.deepEqual({ live, known }, await inRows(rows, asked));
      },
    ),
    { numRuns: 12 },
  );
});

test('what a content knows never changes, nor what an example says of it', async () => {
  const { datasetId } = await seedFirst([{ words: 'lamp', split: 'train' }], 'knowing');
  for (const change of [
    'update examples set came_with_content = false where dataset_id = $1',
    'update example_contents set example_id = null where dataset_id = $1',
  ])
    await assert.rejects(db.database.query(change, [datasetId]), /never changes/);
});

test('a content whose example never came is like one that knows none', async () => {
  const there = await seedFirst([{ words: 'lamp', split: 'train' }], 'knowing');
  const seeded = await seedDataset(db.database);
  await db.database.query(
    `insert into example_contents (dataset_id, hash, content, example_id)
     select $1, hash, content, example_id from example_contents where dataset_id = $2`,
    [seeded.datasetId, there.datasetId],
  );
  const asked = await storables([{ words: 'lamp', split: 'train' }]);
  assert.deepEqual(
    await findContents(
      db.database,
      seeded.datasetId,
      asked.map(({ hash }) => hash),
    ),
    new Map(asked.map(({ hash }) => [hash.toString('hex'), { isStored: true, isLive: false }])),
  );
  const add = () => take(seeded, { kind: 'exact', words: { words: 'lamp', split: 'train' }, which: 0 });
  assert.deepEqual([await add(), await add()], [[true], [false]]);
});
