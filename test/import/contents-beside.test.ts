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

/** All that is stored of a dataset, but for ids and for which of it is in the index of words. */
async function stored({ dataset_id, result, counts }: WireImport) {
  const { database } = world.db;
  const examples = await database.query(
    `select content_hash, added_seq, removed_seq, bytes, split, origin, origin_id is not null as has_origin, tokens, valid, issues,
            right(id, 7) as place, c.content
       from examples e join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
      where e.dataset_id = $1 order by id`,
    [dataset_id],
  );
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
      union all select dataset_id from example_contents_ahead`,
  );

for (const dedupe of ['exact', 'none'] as const)
  test(`contents that are written beside their examples are those of the file, dedupe ${dedupe}`, async () => {
    const done = await through({ dedupe });
    const found = await stored(done);
    assert.equal(found.examples.length, dedupe === 'exact' ? contents : 1_301);
    assert.deepEqual(await stored(await through({ dedupe, withoutKept: true })), found);
    const more = Buffer.from(
      Array.from({ length: 1_100 }, (_, n) => row(n + 800, n === 0 ? { split: 'train' } : {})).join('\n'),
    );
    const dataset = done.dataset_id ?? '';
    const grown = await through({ dedupe, bytes: more, dataset });
    assert.equal(grown.result?.examples_added, dedupe === 'exact' ? 750 : 1_100);
    assert.equal(await contentsOf(dataset), contents + 750);
    assert.deepEqual(await leftovers(), []);
  });

/** The first commit of an import fails, when its contents have been committed. */
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

test('contents whose import came to nothing are seen by nobody, hinder nobody and go', async () => {
  const expected = await stored(await through());
  const fail = await failOnce();
  const done = await through();
  assert.equal(await fail.commits(), 2);
  await fail.undo();
  assert.deepEqual(await stored(done), expected);
  await world.sweep();
  assert.deepEqual([await leftovers(), await contentsOf(done.dataset_id)], [[], contents]);
});

test('contents that were left in an empty dataset are found by the next import into it', async () => {
  const expected = await stored(await through());
  for (const withoutKept of [false, true]) {
    const { id } = await text.demand<{ id: string }>('POST', 'datasets', { name: `Empty ${withoutKept}` });
    await world.db.database.query(
      `insert into example_contents (dataset_id, hash, content, example_id)
       select $1, hash, content, example_id from example_contents where dataset_id <> $1 and hash < decode('80', 'hex')
       on conflict do nothing`,
      [id],
    );
    const done = await through({ dataset: id, withoutKept });
    assert.deepEqual(await stored(done), expected);
  }
});

test('contents are swept once nobody writes for them, and never those of a dataset', async () => {
  const { database } = world.db;
  const { dataset_id: there } = await through();
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
