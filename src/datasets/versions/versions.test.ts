import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { fc } from '#test/properties.ts';
import { lockForChange } from '../dataset-access.ts';
import { prepared, seedDataset } from '../datasets.fixture.ts';
import { addExamples } from '../examples/add-examples.ts';
import { changeExample, removeExample } from '../examples/change-example.ts';
import type { Split } from '../examples/new-examples.ts';
import { streamLines, streamVersion } from './version-content.ts';
import type { DatasetVersion } from './versions.store.ts';
import { tokenStatsOf } from './versions.store.ts';
import { freezeVersion, summariseHead, writeVersion } from './versions.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase({ maxConnections: 20 });
});
after(() => db.drop());

type Seeded = Awaited<ReturnType<typeof seedDataset>>;
type Words = { words: string; split?: Split };

async function add({ datasetId }: Seeded, words: Words[]): Promise<string[]> {
  const examples = await prepared(...words);
  const added = await db.database.transaction((tx) =>
    addExamples(tx, { datasetId, examples, dedupe: 'none', maxExamples: 1_000_000 }),
  );
  return added.map(({ id }) => id ?? '');
}

async function change({ datasetId }: Seeded, id: string, { words, split = 'train' }: Words) {
  const [next] = await prepared({ words, split });
  await db.database.transaction(async (tx) =>
    changeExample(tx, await lockForChange(tx, datasetId), {
      id,
      change: { content: next?.example ?? undefined, split },
    }),
  );
}

const remove = ({ datasetId }: Seeded, id: string) =>
  db.database.transaction(async (tx) => removeExample(tx, await lockForChange(tx, datasetId), id));

const freeze = ({ datasetId, author }: Seeded, { maxVersions = 1_000, label = null as string | null } = {}) =>
  db.database.transaction((tx) =>
    freezeVersion(tx, { datasetId, author, maxVersions, label, source: { kind: 'manual', id: null } }),
  );

async function fileOf(version: Pick<DatasetVersion, 'datasetId' | 'seq'>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of streamLines(db.database, version)) parts.push(part);
  return Buffer.concat(parts);
}

test('the digest of a version is that of its file, and so are its counts', async () => {
  const seeded = await seedDataset(db.database);
  await add(seeded, [{ words: 'b' }, { words: 'a', split: 'test' }, { words: 'ü "quoted"\n' }]);
  const { version, isNew } = await freeze(seeded);
  const file = await fileOf(version);
  assert.ok(isNew);
  assert.equal(version.sha256, createHash('sha256').update(file).digest('hex'));
  assert.equal(version.bytes, BigInt(file.length));
  const lines = file.toString().trimEnd().split('\n');
  assert.equal(lines.length, 3);
  assert.deepEqual([version.trainCount, version.testCount, version.number], [2, 1, 1]);
  for (const line of lines) assert.deepEqual(Object.keys(JSON.parse(line)), ['messages', 'tools', 'split']);
});

test('the same head again is the same version, also for many who ask at once', async () => {
  const seeded = await seedDataset(db.database);
  await add(seeded, [{ words: 'x' }]);
  const frozen = await Promise.all(Array.from({ length: 10 }, () => freeze(seeded)));
  assert.equal(frozen.filter(({ isNew }) => isNew).length, 1);
  assert.equal(new Set(frozen.map(({ version }) => version.id)).size, 1);
  await add(seeded, [{ words: 'y' }]);
  const { version } = await freeze(seeded);
  assert.deepEqual([version.number, version.parentVersionId], [2, frozen[0]?.version.id]);
  const [told] = await db.database.query<{ told: number }>(
    "select count(*)::integer as told from activity where account_id = $1 and type = 'dataset.version_created'",
    [seeded.accountId],
  );
  assert.equal(told?.told, 2);
});

test('versions come in the order of what they hold: who asked before an import and waited for it gets what there is then', async () => {
  const seeded = await seedDataset(db.database);
  const freezing = { ...seeded, maxVersions: 10, source: { kind: 'manual', id: null } as const };
  const asked = await summariseHead(db.database, freezing);
  await add(seeded, [{ words: 'came meanwhile' }]);
  const { version: imported } = await freeze(seeded);
  const late = await db.database.transaction((tx) => writeVersion(tx, freezing, asked));
  assert.deepEqual([late.isNew, late.version.id], [false, imported.id]);
  await add(seeded, [{ words: 'and more' }]);
  const later = await db.database.transaction((tx) => writeVersion(tx, freezing, asked));
  assert.deepEqual([later.isNew, later.version.number, later.version.trainCount], [true, 2, 2]);
});

test('equal content gives an equal digest, whatever way it came about', async () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd');
  const target = fc.array(fc.record({ words: word, split: fc.constantFrom<Split>('train', 'test') }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(target, fc.infiniteStream(fc.nat()), async (examples, chance) => {
      const next = (below: number) => (chance.next().value ?? 0) % Math.max(1, below);
      const direct = await seedDataset(db.database);
      if (examples.length > 0) await add(direct, examples);
      // The same by detours: in another order, from other contents, with some that go again.
      const detour = await seedDataset(db.database);
      const rest = [...examples];
      while (rest.length > 0) {
        const [example] = rest.splice(next(rest.length), 1);
        if (!example) break;
        if (next(2) === 0) await add(detour, [example]);
        else {
          const [id = ''] = await add(detour, [{ words: 'other', split: 'test' }]);
          await change(detour, id, example);
        }
        if (next(2) === 0) {
          const [id = ''] = await add(detour, [{ words: 'gone' }]);
          if (next(2) === 0) await freeze(detour);
          await remove(detour, id);
        }
      }
      const [one, other] = [await freeze(direct), await freeze(detour)];
      assert.equal(one.version.sha256, other.version.sha256);
      assert.deepEqual(await fileOf(one.version), await fileOf(other.version));
    }),
    { numRuns: 15 },
  );
});

test('a version stays as it is while examples come, change and go', async () => {
  const seeded = await seedDataset(db.database);
  const ids = await add(
    seeded,
    Array.from({ length: 40 }, (_, n) => ({ words: `w${n}`, split: n % 4 === 0 ? 'test' : 'train' })),
  );
  const versions: { version: DatasetVersion; file: Buffer }[] = [];
  const busy = Promise.all([
    ...ids.slice(0, 10).map((id) => remove(seeded, id)),
    ...ids.slice(10, 20).map((id, n) => change(seeded, id, { words: `changed ${n}` })),
    ...Array.from({ length: 10 }, (_, n) => add(seeded, [{ words: `new ${n}` }])),
  ]);
  for (let n = 0; n < 5; n++) {
    const { version } = await freeze(seeded);
    versions.push({ version, file: await fileOf(version) });
  }
  await busy;
  for (const { version, file } of versions) {
    assert.equal(createHash('sha256').update(file).digest('hex'), version.sha256);
    assert.deepEqual(await fileOf(version), file);
    let [train, test] = [0, 0];
    for await (const rows of streamVersion(db.database, version))
      for (const { split } of rows) split === 'train' ? train++ : test++;
    assert.deepEqual([train, test], [version.trainCount, version.testCount]);
  }
});

test('a version is read in parts whose size is bounded, each example once, and by split', async () => {
  const seeded = await seedDataset(db.database);
  const long = 'word '.repeat(60_000);
  await add(
    seeded,
    Array.from({ length: 20 }, (_, n) => ({ words: `${long} ${n % 18}`, split: n < 10 ? 'test' : 'train' })),
  );
  await add(
    seeded,
    Array.from({ length: 2_500 }, (_, n) => ({ words: `w${n % 2_000}` })),
  );
  const { version } = await freeze(seeded);
  const seen = new Set<string>();
  for await (const part of streamVersion(db.database, version)) {
    const bytes = part.reduce((sum, { content }) => sum + JSON.stringify(content).length, 0);
    assert.ok(part.length <= 1_000 && bytes < 5_000_000, `${part.length} examples, ${bytes} bytes`);
    for (const { id } of part) seen.add(id);
  }
  assert.equal(seen.size, 2_520);
  let tests = 0;
  for await (const part of streamVersion(db.database, version, { split: 'test' })) tests += part.length;
  assert.equal(tests, 10);
});

test('an empty dataset can be frozen, an archived or full one cannot', async () => {
  const seeded = await seedDataset(db.database);
  const { version } = await freeze(seeded);
  assert.equal(version.sha256, createHash('sha256').digest('hex'));
  assert.deepEqual(version.tokenStats, { min: 0, p50: 0, p95: 0, max: 0, total: 0 });
  await add(seeded, [{ words: 'x' }]);
  await assert.rejects(freeze(seeded, { maxVersions: 1 }), { fault: 'state_conflict' });
  await db.database.query('update datasets set archived_at = now() where id = $1', [seeded.datasetId]);
  await assert.rejects(freeze(seeded), { fault: 'state_conflict' });
  await assert.rejects(
    db.database.query('update dataset_versions set label = $2 where id = $1', [version.id, 'x']),
    /never changes/,
  );
});

test('the numbers of tokens are those of sorted lists', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(5_000), { minLength: 1 }), (counts) => {
      const sorted = counts.toSorted((a, b) => a - b);
      const stats = tokenStatsOf(Uint32Array.from(counts).sort());
      assert.deepEqual([stats.min, stats.max], [sorted[0], sorted.at(-1)]);
      assert.equal(
        stats.total,
        counts.reduce((sum, count) => sum + count, 0),
      );
      assert.ok(sorted.includes(stats.p50) && stats.p50 <= stats.p95);
    }),
  );
});
