import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { bearer } from '#test/accounts.ts';
import type { ImportClient } from './import-client.ts';
import { createImportWorld, type ImportWorld } from './import-world.ts';

let world: ImportWorld;
let text: ImportClient;
before(async () => {
  world = await createImportWorld();
  text = world.text;
});
after(() => world?.stop());

const pairs = (count: number, from = 0) =>
  Buffer.from(
    Array.from({ length: count }, (_, n) =>
      JSON.stringify({ prompt: `What comes after ${n + from}?`, completion: String(n + from + 1) }),
    ).join('\n'),
  );

async function parquetOf(values: string): Promise<Buffer> {
  const folder = await mkdtemp(path.join(tmpdir(), 'fanfold-parquet-'));
  try {
    const file = path.join(folder, 'made.parquet');
    const connection = await (await DuckDBInstance.create(':memory:')).connect();
    await connection.run(`copy (${values}) to '${file}' (format parquet)`);
    connection.closeSync();
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Example = {
  text: { messages: { role: string; content: string }[] };
  embedding: { positives: { text: string }[] };
};
const examplesOf = async (client: ImportClient, dataset: string | null) =>
  (await client.demand<{ data: Example[] }>('GET', `datasets/${dataset}/examples?limit=100`)).data;

test('Parquet with conversations in nested columns goes into a version, packed or not', async () => {
  const file = await parquetOf(
    `select [{role: 'user', content: 'What is ' || n || '?'}, {role: 'assistant', content: 'A number.'}] as messages,
            case when n = 3 then 'test' else 'train' end as split from range(5) as t (n)`,
  );
  for (const [name, bytes] of [
    ['chats.parquet', file],
    ['chats.parquet.gz', gzipSync(file)],
  ] as const) {
    const ready = await text.upload(name, bytes);
    assert.deepEqual([ready.state, ready.format], ['ready', 'parquet'], JSON.stringify(ready.error));
    const profile = await text.profile(ready.id);
    assert.deepEqual([profile.detected_shape, profile.rows, profile.valid], ['chat', 5, 5]);
    const done = await text.confirm(ready.id, { mapping: { messages: 'messages', split: 'split' } });
    assert.equal(done.result?.examples_added, 5);
    const said = (await examplesOf(text, done.dataset_id)).map((example) => example.text.messages[0]?.content);
    assert.deepEqual(
      said.toSorted(),
      [0, 1, 2, 3, 4].map((n) => `What is ${n}?`),
    );
    const { split_counts } = await text.demand<{ split_counts: object }>('GET', `datasets/${done.dataset_id}`);
    assert.deepEqual(split_counts, { train: 4, test: 1 });
  }
});

test('Parquet with lists of passages goes into an embedding project; a row without any is told by its number', async () => {
  const { embedding } = world;
  const file = await parquetOf(
    `select 'find ' || n as query, case when n = 1 then []::varchar[] else ['right ' || n, 'also ' || n] end as positives,
            ['wrong ' || n] as negatives from range(3) as t (n)`,
  );
  const ready = await embedding.upload('pairs.parquet', file);
  assert.deepEqual([ready.counts.rows, ready.counts.invalid], [3, 1], JSON.stringify(ready.error));
  assert.deepEqual(
    (await embedding.issues(ready.id)).map(({ line, code, byte_offset }) => [line, code, byte_offset]),
    [[2, 'positive_missing', null]],
  );
  const done = await embedding.confirm(ready.id, { options: { on_invalid: 'skip' } });
  assert.deepEqual([done.result?.examples_added, done.result?.rows_skipped], [2, 1]);
  const texts = (await examplesOf(embedding, done.dataset_id)).map((example) =>
    example.embedding.positives.map((each) => each.text),
  );
  assert.deepEqual(texts.toSorted(), [
    ['right 0', 'also 0'],
    ['right 2', 'also 2'],
  ]);
});

test('of imports into one dataset at the same time each is whole, and what both bring is there once', async () => {
  const first = await text.confirm((await text.upload('a.jsonl', pairs(10))).id);
  const dataset = first.dataset_id ?? '';
  const ready = await Promise.all(
    [pairs(1_500, 100), pairs(1_500, 1_100), pairs(1_500, 100)].map((file, n) =>
      text.upload(`${n}.jsonl`, file, { dataset }),
    ),
  );
  const done = await Promise.all(ready.map(({ id }) => text.confirm(id)));
  for (const { state, error } of done) assert.equal(state, 'completed', JSON.stringify(error));
  const added = done.map(({ result }) => result?.examples_added ?? 0);
  const skipped = done.map(({ result }) => result?.rows_skipped ?? 0);
  assert.deepEqual(
    done.map((_, n) => (added[n] ?? 0) + (skipped[n] ?? 0)),
    [1_500, 1_500, 1_500],
  );
  assert.equal(
    added.reduce((sum, count) => sum + count, 0),
    2_500,
  );
  const { example_count, latest_version } = await text.demand<{
    example_count: number;
    latest_version: { number: number };
  }>('GET', `datasets/${dataset}`);
  assert.equal(example_count, 2_510);
  const versions = await text.demand<{ data: { number: number; example_count: number }[] }>(
    'GET',
    `dataset-versions?dataset_id=${dataset}`,
  );
  assert.deepEqual(
    versions.data.map(({ number }) => number),
    versions.data.map((_, n) => latest_version.number - n),
    'versions are numbered without gaps',
  );
  assert.equal(versions.data[0]?.example_count, 2_510);
});

type FeedRow = {
  type: string;
  severity: string;
  actor: { kind: string };
  subject: { kind: string; id: string; label: string };
  message: string;
  data: Record<string, unknown>;
};

test('the feed tells once of each import that it is ready, and how it ended', async () => {
  const done = await text.confirm((await text.upload('good.jsonl', pairs(3, 9_000))).id);
  // Another look at it is no news.
  const canceled = await text.upload('unwanted.jsonl', pairs(3));
  await text.preview(canceled.id, { mapping: { user: 'completion', assistant: 'prompt' } });
  await text.demand('POST', `imports/${canceled.id}/cancel`);
  await text.demand('POST', `imports/${canceled.id}/cancel`);
  const failed = await text.upload('bad.zip', Buffer.from('PK\u0003\u0004nothing'));
  const feed = await fetch(`${world.app.origin}/api/v1/activity?limit=100`, { headers: bearer(world.key) });
  const { data } = (await feed.json()) as { data: FeedRow[] };
  const told = (id: string) =>
    data
      .filter(({ subject }) => subject.id === id)
      .map(({ type, severity, actor }) => `${type} ${severity} ${actor.kind}`)
      .toReversed();
  assert.deepEqual(told(done.id), ['import.ready info system', 'import.completed success system']);
  assert.deepEqual(told(canceled.id), ['import.ready info system', 'import.canceled info api_key']);
  assert.deepEqual(told(failed.id), ['import.failed error system']);
  const row = data.find(({ type, subject }) => type === 'import.completed' && subject.id === done.id);
  assert.deepEqual(row?.data, { examples_added: 3, rows_skipped: 0, dataset_id: done.dataset_id });
  assert.deepEqual([row?.subject.kind, row?.subject.label], ['import', 'good.jsonl']);
});
