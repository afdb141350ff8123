import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
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

for (const dedupe of ['exact', 'none'] as const)
  test(`a large first import shows what the file says, whether its rows were kept or are read again, dedupe ${dedupe}`, async () => {
    const done = await through({ dedupe });
    const found = await seen(done);
    assert.equal(found.examples.length, dedupe === 'exact' ? contents : 1_301);
    assert.deepEqual(await seen(await through({ dedupe, withoutKept: true })), found);
    const more = Buffer.from(
      Array.from({ length: 1_100 }, (_, n) => row(n + 800, n === 0 ? { split: 'train' } : {})).join('\n'),
    );
    const dataset = done.dataset_id ?? '';
    const grown = await through({ dedupe, bytes: more, dataset });
    assert.equal(grown.result?.examples_added, dedupe === 'exact' ? 750 : 1_100);
    assert.equal((await seen(grown)).examples.length, found.examples.length + (dedupe === 'exact' ? 750 : 1_100));
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
  assert.deepEqual(
    await world.db.database.query(
      'select from example_contents c where not exists (select from datasets d where d.id = c.dataset_id)',
    ),
    [],
  );
});
