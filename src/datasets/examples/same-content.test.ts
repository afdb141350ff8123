import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { streamLines } from '../versions/version-content.ts';
import { freezeVersion } from '../versions/versions.ts';
import { addExamples } from './add-examples.ts';
import { bulkAdd } from './bulk-add.ts';
import { changeExample, removeExample } from './change-example.ts';
import { endOfIds, listLive } from './example-list.store.ts';
import { findContents } from './example-writes.store.ts';
import type { Split, StorableExample } from './new-examples.ts';
import { findLiveContents } from './same-content.store.ts';

let db: TestDatabase;
before(async () => {
  db = await createTestDatabase();
});
after(() => db.drop());

type Seeded = Awaited<ReturnType<typeof seedDataset>>;

type Words = { words: string; split: Split };

const storables = async (words: readonly Words[]): Promise<StorableExample[]> =>
  (await prepared(...words)).flatMap(({ example }) => (example ? [example] : []));

async function seedFirst(words: readonly Words[], form: 'bulk' | 'single'): Promise<Seeded> {
  const seeded = await seedDataset(db.database);
  const addition = { datasetId: seeded.datasetId, dedupe: 'none', maxExamples: 1_000 } as const;
  const examples = await prepared(...words);
  async function* source(): AsyncGenerator<StorableExample[]> {
    yield await storables(words);
  }
  await db.database.transaction(async (tx) => {
    if (form === 'bulk') await bulkAdd(tx, { ...addition, examples: source() });
    else await addExamples(tx, { ...addition, examples });
  });
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
    sha256: version.sha256,
    train: version.trainCount,
    test: version.testCount,
    files,
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

test('equal contents are found however they were added, and the datasets become the same', async () => {
  const asked = await storables(vocabulary.map((said) => ({ words: said, split: 'train' })));
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(words, { minLength: 1, maxLength: 4, selector: (each) => each.words }),
      fc.array(step, { maxLength: 6 }),
      async (first, steps) => {
        const rows = await seedFirst(first, 'single');
        const others = [await seedFirst(first, 'bulk')];
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
