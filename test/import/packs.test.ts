import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { newId } from '#kernel';
import type { ImportClient, WireImport } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';
import { mapping, mixedRows, row } from './mixed-rows.ts';

let world: ImportWorld;
let text: ImportClient;
before(async () => {
  world = await createImportWorld();
  text = world.text;
});
after(() => world?.stop());

/** Too many to be in the index of words at once. */
const file = mixedRows({ rows: 1_300, different: 1_150 });
const contents = 1_151;

type Options = { dedupe?: 'none' | 'exact'; bytes?: Buffer; dataset?: string; withoutKept?: boolean };

async function through({ dedupe = 'exact', bytes = file, dataset, withoutKept = false }: Options = {}) {
  const { id } = await text.upload('a.jsonl', bytes, dataset === undefined ? {} : { dataset });
  const { preview_token } = await text.preview(id, { mapping, options: { dedupe, on_invalid: 'skip' } });
  const kept = (await readdir(world.keptDir)).filter((name) => name.startsWith(id));
  assert.equal(kept.length, 1);
  if (withoutKept) for (const name of kept) await rm(path.join(world.keptDir, name));
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  return text.until(id, 'completed');
}

type Listed = { id: string; origin_id: string | null; created_at: string };

/** All that is seen of a dataset, but for ids and times. */
async function seen({ dataset_id, result, counts }: WireImport) {
  const examples: object[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { data: Listed[]; next_cursor: string | null } = await text.demand(
      'GET',
      `datasets/${dataset_id}/examples?limit=100${cursor === '' ? '' : `&cursor=${cursor}`}`,
    );
    for (const { id, origin_id, created_at: _, ...example } of page.data)
      examples.push({
        ...example,
        place: id.slice(-7),
        hasOrigin: origin_id !== null,
        dataset_id: null,
        updated_at: null,
      });
    cursor = page.next_cursor;
  }
  const { database } = world.db;
  const counted = await database.query(
    'select split, origin, valid, examples, tokens, bytes from example_counts where dataset_id = $1 order by 1, 2, 3',
    [dataset_id],
  );
  const [version] = await database.query(
    'select seq, sha256, bytes, train_count, test_count, token_stats from dataset_versions where id = $1',
    [result?.version_id],
  );
  return { examples, counted, version, counts, added: result?.examples_added };
}

/** How many packs and rows of examples a dataset has. */
async function storedAs(datasetId: string | null): Promise<{ packs: number; rows: number }> {
  const [found] = await world.db.database.query<{ packs: number; rows: number }>(
    `select (select count(*)::integer from example_packs where dataset_id = $1) as packs,
            (select count(*)::integer from examples where dataset_id = $1) as rows`,
    [datasetId],
  );
  assert.ok(found);
  return found;
}

const contentsOf = async (datasetId: string | null) => {
  const [found] = await world.db.database.query<{ contents: number }>(
    'select count(*)::integer as contents from example_contents where dataset_id = $1',
    [datasetId],
  );
  return found?.contents;
};
/** Of datasets that are not there. */
const leftovers = () =>
  world.db.database.query(
    `select dataset_id from example_contents where not dataset_exists(dataset_id)
      union all select dataset_id from example_contents_ahead
      union all select dataset_id from example_packs where not dataset_exists(dataset_id)
      union all select dataset_id from example_places where not dataset_exists(dataset_id)`,
  );

for (const dedupe of ['exact', 'none'] as const)
  test(`a large first import shows what the file says, whether it is packed or not, dedupe ${dedupe}`, async () => {
    const done = await through({ dedupe });
    const found = await seen(done);
    assert.equal(found.examples.length, dedupe === 'exact' ? contents : 1_301);
    const { packs, rows } = await storedAs(done.dataset_id);
    // Only what is there once has a place in a pack.
    assert.deepEqual([packs > 0, rows], dedupe === 'exact' ? [true, 0] : [false, 1_301]);
    assert.deepEqual(await seen(await through({ dedupe, withoutKept: true })), found);
    const more = Buffer.from(
      Array.from({ length: 1_100 }, (_, n) => row(n + 800, n === 0 ? { split: 'train' } : {})).join('\n'),
    );
    const dataset = done.dataset_id ?? '';
    const grown = await through({ dedupe, bytes: more, dataset });
    assert.equal(grown.result?.examples_added, dedupe === 'exact' ? 750 : 1_100);
    assert.equal((await seen(grown)).examples.length, found.examples.length + (dedupe === 'exact' ? 750 : 1_100));
    assert.deepEqual(await leftovers(), []);
  });

test('nothing is packed while a server runs that would not find it', async () => {
  const { database } = world.db;
  const expected = await seen(await through());
  await database.query(`insert into instances (id) values ('of_the_version_before')`);
  const beside = await through();
  await database.query(`delete from instances where id = 'of_the_version_before'`);
  assert.deepEqual(await storedAs(beside.dataset_id), { packs: 0, rows: contents });
  assert.deepEqual(await seen(beside), expected);
});

test('what is packed never changes, but for what is taken out', async () => {
  const { database } = world.db;
  const { dataset_id: id } = await through();
  for (const change of [
    'update example_packs set tokens = places where dataset_id = $1',
    'update example_packs set contents = set_byte(contents, 0, 32) where dataset_id = $1',
    'update example_places set present = 1 where dataset_id = $1',
    'delete from example_packs where dataset_id = $1',
    'delete from example_places where dataset_id = $1',
  ])
    await assert.rejects(database.query(change, [id]), /what versions are made of never changes/, change);
});

/** The first commit of an import fails. */
async function failOnce(): Promise<{ commits: () => Promise<number>; undo: () => Promise<void> }> {
  const name = `once_${randomBytes(4).toString('hex')}`;
  const { database } = world.db;
  await database.query(`create sequence ${name}`);
  await database.query(`create function ${name}() returns trigger language plpgsql as $$
    begin
      if nextval('${name}') = 1 then raise exception 'once'; end if;
      return null;
    end $$`);
  await database.query(`create constraint trigger ${name} after insert on dataset_versions
    deferrable initially deferred for each row execute function ${name}()`);
  return {
    commits: async () =>
      Number((await database.query<{ last: bigint }>(`select last_value as last from ${name}`))[0]?.last),
    undo: async () => {
      await database.query(`drop trigger ${name} on dataset_versions`);
      await database.query(`drop function ${name}()`);
    },
  };
}

test('an import whose commit failed leaves nothing, and is whole when it is tried again', async () => {
  const expected = await seen(await through());
  const fail = await failOnce();
  const done = await through();
  assert.equal(await fail.commits(), 2);
  await fail.undo();
  assert.deepEqual(await seen(done), expected);
  assert.deepEqual(await leftovers(), []);
});

test('contents that a server of an earlier version left in an empty dataset hinder no import', async () => {
  const expected = await seen(await through());
  const { dataset_id: rows } = await through({ withoutKept: true });
  for (const withoutKept of [false, true]) {
    const { id } = await text.demand<{ id: string }>('POST', 'datasets', { name: `Empty ${withoutKept}` });
    await world.db.database.query(
      `insert into example_contents (dataset_id, hash, content, example_id)
       select $1, hash, content, example_id from example_contents where dataset_id = $2 and hash < decode('80', 'hex')`,
      [id, rows],
    );
    const done = await through({ dataset: id, withoutKept });
    assert.equal((await storedAs(id)).packs, 0);
    assert.deepEqual(await seen(done), expected);
  }
});

test('contents are swept once nobody writes for them, and never those of a dataset', async () => {
  const { database } = world.db;
  const { dataset_id: there } = await through({ withoutKept: true });
  const nowhere = newId('ds');
  await database.query(
    'insert into example_contents (dataset_id, hash, content) select $1, hash, content from example_contents where dataset_id = $2',
    [nowhere, there],
  );
  for (const id of [nowhere, there])
    await database.query('insert into example_contents_ahead (dataset_id) values ($1)', [id]);
  await database.transaction(async (tx) => {
    await tx.query(`select pg_advisory_xact_lock(hashtextextended('contents ahead of ' || $1, 0))`, [nowhere]);
    await world.sweep();
    assert.deepEqual([await contentsOf(nowhere), await contentsOf(there)], [contents, contents]);
  });
  await world.sweep();
  assert.deepEqual([await contentsOf(nowhere), await contentsOf(there), await leftovers()], [0, contents, []]);
  await assert.rejects(
    database.query('delete from example_contents where dataset_id = $1', [there]),
    /what versions are made of never changes/,
  );
});
