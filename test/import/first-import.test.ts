import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
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

type Options = { dedupe?: 'none' | 'exact'; bytes?: Buffer; dataset?: string };

async function through({ dedupe = 'exact', bytes = file, dataset }: Options = {}) {
  const { id } = await text.upload('a.jsonl', bytes, dataset === undefined ? {} : { dataset });
  const { preview_token } = await text.preview(id, { mapping, options: { dedupe, on_invalid: 'skip' } });
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
  const [version] = await database.query<{ sha256: string }>(
    'select seq, sha256, bytes, train_count, test_count, token_stats from dataset_versions where id = $1',
    [result?.version_id],
  );
  return { examples, counted, version, counts, added: result?.examples_added };
}

async function digestOfDownload({ result }: WireImport): Promise<string> {
  const response = await fetch(`${text.base}/dataset-versions/${result?.version_id}/download`, {
    headers: { authorization: `Bearer ${world.key}` },
  });
  assert.equal(response.status, 200);
  return createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
}

for (const dedupe of ['exact', 'none'] as const)
  test(`a large first import has what the file says, and so has the version that it makes, dedupe ${dedupe}`, async () => {
    const done = await through({ dedupe });
    const found = await seen(done);
    assert.equal(found.examples.length, dedupe === 'exact' ? contents : 1_301);
    assert.equal(await digestOfDownload(done), found.version?.sha256);
    const more = Buffer.from(
      Array.from({ length: 1_100 }, (_, n) => row(n + 800, n === 0 ? { split: 'train' } : {})).join('\n'),
    );
    const dataset = done.dataset_id ?? '';
    const grown = await through({ dedupe, bytes: more, dataset });
    assert.equal(grown.result?.examples_added, dedupe === 'exact' ? 750 : 1_100);
    const after = await seen(grown);
    assert.equal(after.examples.length, found.examples.length + (dedupe === 'exact' ? 750 : 1_100));
    assert.equal(await digestOfDownload(grown), after.version?.sha256);
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

test('a file that is not the one of its preview any more is found out, and nothing of it is imported', async () => {
  const { id } = await text.upload('a.jsonl', file);
  const { preview_token } = await text.preview(id, { mapping, options: { on_invalid: 'skip' } });
  const [part] = await world.db.database.query<{ key: string }>(
    'select key from import_parts where import_id = $1 and bytes is not null',
    [id],
  );
  const changed = Buffer.from(file.toString().replace('Was heißt 7?', 'Was heißt 8?'));
  await writeFile(path.join(world.objectsDir, part?.key ?? ''), changed);
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  const { error, dataset_id } = await text.until(id, 'completed', 'failed');
  assert.deepEqual([error?.code, dataset_id], ['file_changed', null]);
});

test('all rows of a search come into one split, however they write it', async () => {
  const { embedding } = world;
  const rows = Array.from({ length: 1_200 }, (_, n) => {
    const query = `how heavy is lamp ${n % 300}?`;
    return JSON.stringify({ query: n < 600 ? query : ` ${query.toUpperCase()}`, positive: `answer ${n}` });
  });
  const { id } = await embedding.upload('clicks.jsonl', Buffer.from(rows.join('\n')));
  const { preview_token } = await embedding.preview(id, { options: { test_ratio: 0.3 } });
  await embedding.demand('POST', `imports/${id}/confirm`, { preview_token });
  const { dataset_id: datasetId } = await embedding.until(id, 'completed');
  const splits = await world.db.database.query<{ query: string; splits: string[] }>(
    `select btrim(lower(c.content::json ->> 'query')) as query, array_agg(distinct e.split) as splits
       from examples e join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
      where e.dataset_id = $1 group by 1`,
    [datasetId],
  );
  assert.equal(splits.length, 300);
  assert.deepEqual(
    splits.filter((each) => each.splits.length > 1),
    [],
  );
  const heldOut = splits.filter((each) => each.splits[0] === 'test').length;
  assert.ok(heldOut > 60 && heldOut < 120, `${heldOut} of 300 queries are held out`);
});
