import assert from 'node:assert/strict';
import { open, readdir, rm, utimes, writeFile } from 'node:fs/promises';
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

const file = mixedRows({ rows: 700, different: 600 });
const keptFiles = async (id: string) =>
  (await readdir(world.keptDir)).filter((name) => name.startsWith(id)).map((name) => path.join(world.keptDir, name));

type Meddle = (file: string) => Promise<void>;
type Said = { text: unknown; split: string; tokens: number; valid: boolean };

const spoil =
  (place: (bytes: number) => number): Meddle =>
  async (kept) => {
    const handle = await open(kept, 'r+');
    const at = place((await handle.stat()).size);
    const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at);
    await handle.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), 0, 1, at);
    await handle.close();
  };

/** Takes the file through, meddling with what the survey has kept. */
async function through(
  dedupe: 'none' | 'exact',
  meddle: Meddle | null,
  { bytes = file, dataset }: { bytes?: Buffer; dataset?: string } = {},
) {
  const { id } = await text.upload('a.jsonl', bytes, dataset === undefined ? {} : { dataset });
  const { preview_token } = await text.preview(id, { mapping, options: { dedupe, on_invalid: 'skip' } });
  const [kept, ...more] = await keptFiles(id);
  assert.ok(kept && more.length === 0, 'rows are kept of the latest reading only');
  await meddle?.(kept);
  await text.demand('POST', `imports/${id}/confirm`, { preview_token });
  const done = await text.until(id, 'completed');
  return { done, ...(await outcomeOf(done)) };
}

async function outcomeOf({ dataset_id: id, result, counts }: WireImport) {
  const version = await text.demand<{ sha256: string; token_stats: object; bytes: number }>(
    'GET',
    `dataset-versions/${result?.version_id}`,
  );
  const { data } = await text.demand<{ data: Said[] }>('GET', `datasets/${id}/examples?limit=100`);
  const dataset = await text.demand<{ split_counts: object; example_count: number }>('GET', `datasets/${id}`);
  const { sha256, token_stats } = version;
  const said = data.map(({ text: content, split, tokens, valid }) => ({ content, split, tokens, valid }));
  const { split_counts, example_count } = dataset;
  return { told: { sha256, token_stats, counts, said, split_counts, example_count, added: result?.examples_added } };
}

for (const dedupe of ['exact', 'none'] as const)
  test(`rows that the survey kept make the same dataset and version as the file itself, dedupe ${dedupe}`, async () => {
    const { told, done } = await through(dedupe, null);
    assert.equal(told.added, dedupe === 'exact' ? 601 : 701);
    assert.deepEqual(await keptFiles(done.id), [], 'they are gone with the import');
    const other = await through(dedupe, (kept) => rm(kept));
    assert.deepEqual(other.told, told);
    assert.deepEqual(
      (
        await through(
          dedupe,
          spoil((bytes) => bytes - 3),
        )
      ).told,
      told,
    );
    const more = Buffer.concat([file, Buffer.from(Array.from({ length: 50 }, (_, n) => `\n${row(n + 580)}`).join(''))]);
    const again = (target: WireImport, meddling: Meddle | null) =>
      through(dedupe, meddling, { bytes: more, dataset: target.dataset_id ?? '' });
    const grown = await again(done, null);
    assert.equal(grown.told.added, dedupe === 'exact' ? 30 : 751);
    assert.deepEqual((await again(other.done, (kept) => rm(kept))).told, grown.told);
  });

/** Puts other bytes in the place of the uploaded file. */
async function spoilFile(id: string): Promise<void> {
  const objects = path.dirname(world.keptDir);
  const [part] = await world.db.database.query<{ key: string }>(
    'select key from import_parts where import_id = $1 and bytes is not null',
    [id],
  );
  await writeFile(path.join(objects, part?.key ?? ''), Buffer.alloc(file.length));
}

test('an import of kept rows needs its file no more; without them, a file that has changed is found out', async () => {
  for (const isKept of [true, false]) {
    const { id } = await text.upload('a.jsonl', file);
    const { preview_token } = await text.preview(id, { mapping, options: { on_invalid: 'skip' } });
    await spoilFile(id);
    if (!isKept) for (const kept of await keptFiles(id)) await rm(kept);
    await text.demand('POST', `imports/${id}/confirm`, { preview_token });
    const { result, error } = await text.until(id, 'completed', 'failed');
    if (isKept) assert.equal(result?.examples_added, 601, JSON.stringify(error));
    else assert.notEqual(error, null);
  }
});

test('kept rows that are not as they were written are thrown away, and the file is read', async () => {
  const { told, done } = await through(
    'exact',
    spoil((bytes) => Math.floor(bytes / 4)),
  );
  assert.deepEqual([told.added, told.example_count], [601, 601]);
  const { sha256 } = (await through('exact', null)).told;
  assert.equal(told.sha256, sha256);
  assert.deepEqual(await keptFiles(done.id), []);
});

test('what is kept goes when its import is over, and when it is old', async () => {
  const canceled = await text.upload('a.jsonl', file);
  const waiting = await text.upload('a.jsonl', file);
  await text.demand('POST', `imports/${canceled.id}/cancel`);
  await world.sweep();
  assert.deepEqual([(await keptFiles(canceled.id)).length, (await keptFiles(waiting.id)).length], [0, 1]);
  const [kept = ''] = await keptFiles(waiting.id);
  const yesterday = new Date(Date.now() - 86_400_000);
  await utimes(kept, yesterday, yesterday);
  await world.sweep();
  assert.deepEqual(await keptFiles(waiting.id), []);
});

test('all rows of a search come into one split, however they write it, whether rows were kept or the file is read', async () => {
  const { embedding } = world;
  const rows = Array.from({ length: 1_200 }, (_, n) => {
    const query = `how heavy is lamp ${n % 300}?`;
    return JSON.stringify({ query: n < 600 ? query : ` ${query.toUpperCase()}`, positive: `answer ${n}` });
  });
  const versions: string[] = [];
  for (const isKept of [true, false]) {
    const { id } = await embedding.upload('clicks.jsonl', Buffer.from(rows.join('\n')));
    const { preview_token } = await embedding.preview(id, { options: { test_ratio: 0.3 } });
    if (!isKept) for (const kept of await keptFiles(id)) await rm(kept);
    await embedding.demand('POST', `imports/${id}/confirm`, { preview_token });
    const { result, dataset_id: datasetId } = await embedding.until(id, 'completed');
    versions.push((await embedding.demand<{ sha256: string }>('GET', `dataset-versions/${result?.version_id}`)).sha256);
    const splits = await world.db.database.query<{ query: string; splits: string[] }>(
      `select btrim(lower(e.content::json ->> 'query')) as query, array_agg(distinct e.split) as splits
         from (
           select e.split, c.content from examples e
             join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
            where e.dataset_id = $1
         ) e group by 1`,
      [datasetId],
    );
    assert.equal(splits.length, 300);
    assert.deepEqual(
      splits.filter((each) => each.splits.length > 1),
      [],
    );
    const held = splits.filter((each) => each.splits[0] === 'test').length;
    assert.ok(held > 60 && held < 120, `${held} of 300 queries are held out`);
  }
  assert.equal(versions[0], versions[1]);
});
