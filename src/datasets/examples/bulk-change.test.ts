import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { conversation, type DatasetsServer, someoneOn, startDatasetsServer } from '../datasets-server.fixture.ts';
import type { ExampleWire } from './examples.schema.ts';

let server: DatasetsServer;

before(async () => {
  server = await startDatasetsServer();
});
after(() => server.stop());

async function datasetOf(count: number, split: 'train' | 'test' = 'train') {
  const { ask, createDataset } = await someoneOn(server);
  const path = `/datasets/${await createDataset()}`;
  const ids: string[] = [];
  for (let from = 0; from < count; from += 100) {
    const examples = Array.from({ length: Math.min(100, count - from) }, (_, n) => {
      const number = from + n;
      return { ...conversation(`Question ${number} about ${number % 2 === 0 ? 'lamps' : 'chairs'}`), split };
    });
    const { json } = await ask('POST', `${path}/examples`, { examples });
    ids.push(...(json.results as { id: string }[]).map(({ id }) => id));
  }
  const bulk = (body: object, headers?: Record<string, string>) => ask('POST', `${path}/examples/bulk`, body, headers);
  const list = async (query = '') => {
    const { json } = await ask('GET', `${path}/examples?limit=100${query}`);
    return { rows: json.data as ExampleWire[], total: json.total_count };
  };
  const counts = async () => (await ask('GET', path)).json.split_counts;
  return { ask, path, ids, bulk, list, counts };
}

test('examples are moved by their ids with one change of the dataset, and lists, counts and searches agree', async () => {
  const { ids, bulk, list, counts, ask, path } = await datasetOf(6);
  const before = (await list()).rows;
  const [first = '', second = ''] = ids;
  const { status, json } = await bulk({ action: 'move', split: 'test', ids: [first, second, first] });
  assert.equal(status, 200);
  assert.deepEqual(
    { ...json, ids: [...(json.ids as string[])].sort() },
    { changed: 2, ids: [first, second], unchanged: 0, missing: 0, remaining: 0 },
  );
  assert.deepEqual(await counts(), { train: 4, test: 2 });
  assert.deepEqual(
    (await list('&split=test')).rows.map(({ id }) => id),
    [second, first],
  );
  assert.deepEqual(
    (await list('&split=test&q=lamps')).rows.map(({ id }) => id),
    [first],
  );
  assert.equal((await list('&split=train&q=lamps')).total, 2);
  const bare = (rows: ExampleWire[]) => rows.map(({ split: _, updated_at: __, ...rest }) => rest);
  assert.deepEqual(bare((await list()).rows), bare(before), 'all but the split is as it was');
  const again = await bulk({ action: 'move', split: 'test', ids: [first, second, ids[2]] });
  assert.partialDeepStrictEqual(again.json, { changed: 1, unchanged: 2 });
  const { json: version } = await ask('POST', `${path}/versions`, {});
  assert.partialDeepStrictEqual(version, { split_counts: { train: 3, test: 3 } });
});

test('a change that changes nothing is none: the dataset has nothing new to freeze', async () => {
  const { ids, bulk, ask, path } = await datasetOf(2);
  const { json: first } = await ask('POST', `${path}/versions`, {});
  const { json } = await bulk({ action: 'move', split: 'train', ids });
  assert.deepEqual(json, { changed: 0, ids: [], unchanged: 2, missing: 0, remaining: 0 });
  const { json: second } = await ask('POST', `${path}/versions`, {});
  assert.equal(second.id, first.id);
});

test('deleted examples leave the dataset and stay in versions; ids that are not there are counted', async () => {
  const { ids, bulk, list, counts, ask, path } = await datasetOf(5);
  const { json: version } = await ask('POST', `${path}/versions`, {});
  const { json } = await bulk({ action: 'delete', ids: [...ids.slice(0, 3), 'ex_never', ids[0]] });
  assert.partialDeepStrictEqual(json, { changed: 3, unchanged: 0, missing: 1 });
  assert.deepEqual(await counts(), { train: 2, test: 0 });
  assert.deepEqual(
    (await list()).rows.map(({ id }) => id),
    ids.slice(3).reverse(),
  );
  assert.equal((await list(`&version_id=${version.id}`)).total, 5);
  assert.partialDeepStrictEqual((await bulk({ action: 'delete', ids: ids.slice(0, 3) })).json, {
    changed: 0,
    missing: 3,
  });
});

test('a filter takes a thousand at a time and says how many it still matches', async () => {
  const { bulk, list, counts } = await datasetOf(1_150);
  const all = { action: 'move', split: 'test', filter: {} };
  assert.partialDeepStrictEqual((await bulk(all)).json, { changed: 1_000, remaining: 150 });
  assert.deepEqual(await counts(), { train: 150, test: 1_000 });
  assert.partialDeepStrictEqual((await bulk(all)).json, { changed: 150, remaining: 0 });
  assert.partialDeepStrictEqual((await bulk(all)).json, { changed: 0, remaining: 0 });
  assert.partialDeepStrictEqual((await bulk({ ...all, filter: { split: 'test' } })).json, { changed: 0 });
  const { json } = await bulk({
    action: 'delete',
    filter: { q: 'chairs', split: 'test', origin: 'manual', valid: true },
  });
  assert.partialDeepStrictEqual(json, { changed: 575, remaining: 0 });
  assert.equal((await list('&q=chairs')).total, 0);
  assert.deepEqual(await counts(), { train: 0, test: 575 });
});

test('what others change at the same time is not undone, and no example is counted twice', async () => {
  const { ask, path, ids, bulk, list, counts } = await datasetOf(40);
  const edit = (id: string) => ask('PATCH', `${path}/examples/${id}`, conversation(`Edited ${id}`, 'New.'));
  const [edited, removed] = [ids.slice(0, 10), ids.slice(10, 20)];
  const answers = await Promise.all([
    ...edited.slice(0, 5).map(edit),
    ...removed.slice(0, 5).map((id) => ask('DELETE', `${path}/examples/${id}`)),
    bulk({ action: 'move', split: 'test', filter: {} }),
    ...edited.slice(5).map(edit),
    ...removed.slice(5).map((id) => ask('DELETE', `${path}/examples/${id}`)),
    bulk({ action: 'move', split: 'test', ids }),
  ]);
  for (const { status, text } of answers) assert.ok(status < 300, text);
  const { rows } = await list();
  assert.equal(rows.length, 30);
  assert.deepEqual(await counts(), { train: 0, test: 30 });
  for (const id of edited) assert.equal(rows.find((row) => row.id === id)?.text?.messages[0]?.content, `Edited ${id}`);
  assert.equal((await list('&split=test&q=edited')).total, 10);
});

test('a request that is repeated with its key is done once', async () => {
  const { ids, bulk, counts } = await datasetOf(3);
  const headers = { 'idempotency-key': 'move-once' };
  const body = { action: 'move', split: 'test', ids: ids.slice(0, 2) };
  const first = await bulk(body, headers);
  await bulk({ action: 'move', split: 'train', ids });
  const repeated = await bulk(body, headers);
  assert.deepEqual(repeated.json, first.json);
  assert.deepEqual(await counts(), { train: 3, test: 0 });
});

test('a request that does not say what is to be done with which examples is refused', async () => {
  const { ids, bulk, counts } = await datasetOf(2);
  const bodies: [object, string][] = [
    [{ action: 'move', ids }, 'split'],
    [{ action: 'delete', split: 'test', ids }, 'split'],
    [{ action: 'delete' }, 'ids'],
    [{ action: 'delete', ids, filter: {} }, 'ids'],
    [{ action: 'delete', ids: [] }, 'ids'],
    [{ action: 'delete', ids: Array.from({ length: 1_001 }, (_, n) => `ex_${n}`) }, 'ids'],
    [{ action: 'burn', ids }, 'action'],
  ];
  for (const [body, param] of bodies) {
    const { status, json } = await bulk(body);
    assert.equal(status, 400, JSON.stringify(body));
    assert.equal((json.error as { param?: string }).param, param, JSON.stringify(json));
  }
  // A filter that is misspelled would match everything.
  assert.equal((await bulk({ action: 'delete', filter: { query: 'typo' } })).status, 422);
  assert.deepEqual(await counts(), { train: 2, test: 0 });
});
