import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { streamLines } from '../versions/version-content.ts';
import { freezeVersion } from '../versions/versions.ts';
import { addExamples } from './add-examples.ts';
import { finishBulk } from './bulk-add.ts';
import { copyContents, copyExamples, findContents } from './bulk-writes.store.ts';
import { changeExample, removeExample } from './change-example.ts';
import { ContentCopy } from './content-copy.ts';
import { ExampleCopy } from './example-copy.ts';
import { exampleIds } from './example-ids.ts';
import { changeCounts } from './example-writes.store.ts';
import { KindSums } from './kind-sums.ts';
import type { Split, StorableExample } from './new-examples.ts';
import { findLiveContents } from './same-content.store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.drop());

type Words = { words: string; split: Split };
type Seeded = Awaited<ReturnType<typeof seedDataset>>;

async function storables(words: Words[]): Promise<StorableExample[]> {
  return (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));
}

/** Contents that are new, each with one example, as a large import writes them; `knows`: contents know their examples. */
async function importFirst({ datasetId }: Seeded, words: Words[], knows: boolean): Promise<void> {
  const firstId = exampleIds()();
  const contents = new ContentCopy({ datasetId, firstId: knows ? firstId : null, bytes: 1 });
  const rows = new ExampleCopy({
    ...{ datasetId, seq: 1n, importId: 'imp_1', firstId, searched: false, cameWithContent: knows, bytes: 1 },
  });
  const sums = new KindSums('import');
  for (const [place, { hash, json, ...example }] of (await storables(words)).entries()) {
    const from = Buffer.concat([hash, Buffer.from(json)]);
    contents.add(from, 0, { start: hash.length, end: from.length }, place);
    rows.add(from, 0, { ...example, tokens: place });
    sums.add({ ...example, tokens: place });
  }
  await db.database.transaction(async (tx) => {
    await lockForChange(tx, datasetId);
    await copyContents(tx, contents.take());
    await copyExamples(tx, rows.take());
    await changeCounts(tx, datasetId, sums.list());
    await finishBulk(tx, { datasetId, seq: 1n, firstId, added: rows.added, unsearched: true });
  });
}

const live = async ({ datasetId }: Seeded): Promise<string[]> => {
  const rows = await db.database.query<{ id: string }>(
    'select id from examples where dataset_id = $1 and removed_seq = 9223372036854775807 order by id',
    [datasetId],
  );
  return rows.map(({ id }) => id);
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
    known: [...(await findContents(db.database, datasetId, hashes))].sort(),
    ...{ sha256: version.sha256, train: version.trainCount, test: version.testCount, files },
  };
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

test('examples that say the same are found whether their content knows them or not, and a dataset becomes the same', async () => {
  const asked = await storables(vocabulary.map((said) => ({ words: said, split: 'train' })));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(words, { minLength: 1, maxLength: 4, selector: (each) => each.words }),
      fc.array(step, { maxLength: 6 }),
      async (first, steps) => {
        const [one, other] = [await seedDataset(db.database), await seedDataset(db.database)];
        await importFirst(one, first, true);
        await importFirst(other, first, false);
        for (const each of steps) assert.deepEqual(await take(one, each), await take(other, each));
        const expected = await found(other, asked, steps.length);
        assert.deepEqual(await found(one, asked, steps.length), expected);
        const { live, known } = expected;
        assert.deepEqual({ live, known }, await inRows(one, asked));
      },
    ),
    { numRuns: 12 },
  );
});

test('a server of the version before finds what contents know, too', async () => {
  const seeded = await seedDataset(db.database);
  await importFirst(seeded, [{ words: 'lamp', split: 'train' }], true);
  const [asked] = await storables([{ words: 'lamp', split: 'test' }]);
  const found = await db.database.query(
    `select came_with_content from examples e
      where example_key(e.dataset_id, e.content_hash) = example_key($1, $2) and e.content_hash = $2 and e.dataset_id || '' = $1`,
    [seeded.datasetId, asked?.hash],
  );
  assert.deepEqual(found, [{ came_with_content: true }]);
});

test('what a content knows never changes, nor what an example says of it', async () => {
  const seeded = await seedDataset(db.database);
  await importFirst(seeded, [{ words: 'lamp', split: 'train' }], true);
  const { datasetId } = seeded;
  for (const change of [
    'update examples set came_with_content = false where dataset_id = $1',
    'update example_contents set example_id = null where dataset_id = $1',
  ])
    await assert.rejects(db.database.query(change, [datasetId]), /never changes/);
});

test('a content whose example never came is like one that knows none', async () => {
  const [there, seeded] = [await seedDataset(db.database), await seedDataset(db.database)];
  await importFirst(there, [{ words: 'lamp', split: 'train' }], true);
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
    new Map(asked.map(({ hash }) => [hash.toString('hex'), false])),
  );
  const add = () => take(seeded, { kind: 'exact', words: { words: 'lamp', split: 'train' }, which: 0 });
  assert.deepEqual([await add(), await add()], [[true], [false]]);
});
