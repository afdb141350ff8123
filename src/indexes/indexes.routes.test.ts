import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctor } from '#billing';
import { errorOf } from '#test/error-of.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import {
  chargesOf,
  embedDirectly,
  type IndexesServer,
  shop,
  someoneOn,
  startIndexesServer,
} from './indexes-server.fixture.ts';

await awayFromMidnight();

let server: IndexesServer;

before(async () => {
  server = await startIndexesServer();
});
after(() => server.stop());

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

const embed = (texts: readonly string[]) => embedDirectly(server, texts);

const instructed = (query: string) =>
  `Instruct: Given a customer question, retrieve the passage that answers it\nQuery:${query}`;

test('an index is built, measured as a naive calculation measures, searched exactly, and charged once', async () => {
  const me = await someoneOn(server);
  const examples = shop(9);
  const { datasetId, versionId } = await me.versionWith(examples);
  const index = await me.build(versionId);
  assert.equal(index.state, 'ready', JSON.stringify(index.error));
  const { id, active_ms, credits, created_at, ready_at, metrics, ...rest } = index;
  const turns = await server.db.database.query<{ of: string }>(
    `select group_id as of from fanfold_jobs.job where name = 'indexes.build' and data->>'indexId' = $1`,
    [id],
  );
  assert.deepEqual(turns, [{ of: me.accountId }], 'accounts take turns');
  assert.deepEqual(rest, {
    dataset_id: datasetId,
    version_id: versionId,
    model: 'fanfold-tiny-embed',
    base_model: 'fanfold-tiny-embed',
    model_revision: null,
    dimensions: 128,
    documents: 18,
    truncated: 0,
    state: 'ready',
    error: null,
    progress: { phase: null, done: 18, total: 18, percent: 100 },
    rate: { credits_per_gpu_minute: '0.030000', price_version: (rest.rate as { price_version: string }).price_version },
  });
  assert.ok(String(ready_at) > String(created_at));

  const texts = [
    ...new Set(
      examples
        .flatMap(({ positives, negatives = [] }) => [...positives, ...negatives])
        .map((each) => (typeof each === 'string' ? each : each.text)),
    ),
  ];
  const documents = await embed(texts);
  const tests = examples.filter(({ split }) => split === 'test');
  const queries = await embed(tests.map(({ query }) => instructed(query)));
  const ranks = tests.map(({ positives: [right] }, at) => {
    const scores = documents.map((document) => dot(queries[at] ?? document, document));
    const score = scores[texts.indexOf(typeof right === 'string' ? right : (right?.text ?? ''))] ?? 0;
    return 1 + scores.filter((other) => other > score).length;
  });
  const mean = (of: (rank: number) => number) => ranks.reduce((sum, rank) => sum + of(rank), 0) / ranks.length;
  const expected = {
    recall_at_1: mean((rank) => Number(rank === 1)),
    recall_at_10: mean((rank) => Number(rank <= 10)),
    recall_at_100: 1,
    mrr_at_10: mean((rank) => (rank <= 10 ? 1 / rank : 0)),
    ndcg_at_10: mean((rank) => (rank <= 10 ? 1 / Math.log2(rank + 1) : 0)),
    queries: 9,
  };
  for (const [name, value] of Object.entries(expected))
    assert.ok(Math.abs(((metrics as Record<string, number>)[name] ?? 9) - value) < 1e-6, name);
  assert.deepEqual(Object.keys(metrics as object).sort(), Object.keys(expected).sort());

  const question = 'Which guarantee is there for the kettle 1?';
  const found = await me.ask('POST', `/dataset-indexes/${id}/search`, { query: question, top_k: 5 });
  assert.equal(found.status, 200);
  const [query = new Float32Array()] = await embed([instructed(question)]);
  const best = texts
    .map((text, at) => ({ text, score: dot(query, documents[at] ?? query) }))
    .sort((a, b) => b.score - a.score);
  const results = found.json.results as { rank: number; text: string; score: number; document_id: string | null }[];
  assert.deepEqual(
    results.map(({ rank, text }) => [rank, text]),
    best.slice(0, 5).map(({ text }, at) => [at + 1, text]),
  );
  for (const [at, { score }] of results.entries()) assert.ok(Math.abs(score - (best[at]?.score ?? 9)) < 1e-4);
  const warranty = results.find(({ text }) => text.includes('warranty'));
  assert.match(String(warranty?.document_id), /^doc-/);

  const charges = await chargesOf(server, me.accountId);
  assert.deepEqual(
    charges.map(({ type, outcome }) => [type, outcome]),
    [
      ['index', 'succeeded'],
      ['inference', 'succeeded'],
    ],
  );
  assert.equal(Number(credits), -Number(charges[0]?.micro) / 1e6);
  assert.equal(Math.round(charges[0]?.active_ms ?? Number.NaN), active_ms, 'whole milliseconds on the wire');
  assert.equal(Number(found.json.credits), -Number(charges[1]?.micro) / 1e6);
  const told = await server.db.database.query<{ type: string; data: { index_id: string } }>(
    `select type, data from activity where account_id = $1 and type like 'index.%'`,
    [me.accountId],
  );
  assert.deepEqual(
    told.map(({ type, data }) => [type, data.index_id]),
    [['index.ready', id]],
  );
  assert.deepEqual(await doctor(server.db.database), []);
});

test('a query with an answer in each of several examples is measured once, and no answer of it counts as wrong', async () => {
  const me = await someoneOn(server);
  const query = 'How heavy is the Lisk lamp?';
  const answers = [
    'The Lisk lamp weighs 12 kilograms.',
    'Weight of the Lisk lamp: 12 kg.',
    'The Lisk lamp is heavy, 12 kg.',
  ];
  const asked = answers.map((answer) => ({ query, positives: [answer], split: 'test' }));
  const { versionId } = await me.versionWith([...shop(9).filter(({ split }) => split !== 'test'), ...asked]);
  const { metrics } = await me.build(versionId);
  assert.deepEqual(metrics, {
    recall_at_1: 1 / 3,
    recall_at_10: 1,
    recall_at_100: 1,
    mrr_at_10: 1,
    ndcg_at_10: 1,
    queries: 1,
  });
});

test('what only examples of the other split call right for a query is no wrong result, and no right one', async () => {
  const me = await someoneOn(server);
  const query = 'How heavy is the Lisk lamp?';
  // Found first and second, in some order.
  const answers = ['The Lisk lamp weighs 12 kilograms.', 'Weight of the Lisk lamp: 12 kg.'];
  for (const measured of answers) {
    const asked = answers.map((answer) => ({
      query,
      positives: [answer],
      split: answer === measured ? 'test' : 'train',
    }));
    const { versionId } = await me.versionWith([...shop(9).filter(({ split }) => split !== 'test'), ...asked]);
    const { metrics } = await me.build(versionId);
    const all = { recall_at_1: 1, recall_at_10: 1, recall_at_100: 1, mrr_at_10: 1, ndcg_at_10: 1 };
    assert.deepEqual(metrics, { ...all, queries: 1 }, measured);
  }
});

test('a search that is sent again under its Idempotency-Key is charged once, and gets its answer again', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(2));
  const { id } = await me.build(versionId);
  const search = (key: string) =>
    me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' }, { 'idempotency-key': key });
  const msOf = async (key: string) => {
    const beganMs = performance.now();
    assert.equal((await search(key)).status, 200);
    return performance.now() - beganMs;
  };
  // The answer waits for nobody who waits for its own commit: that would take seconds every time, and not only on a busy machine.
  for (let tries = 1; (await msOf(`try ${tries}`)) > 3_500; tries++) assert.ok(tries < 10);
  const before = (await chargesOf(server, me.accountId)).length;
  const [first, again] = [await search('one'), await search('one')];
  assert.deepEqual([again.status, again.json], [200, first.json]);
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  assert.equal((await chargesOf(server, me.accountId)).length, before + 1);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('searches of a limited key count, with and without an Idempotency-Key', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(1));
  const { id } = await me.build(versionId);
  const { database } = server.db;
  await database.query('update api_keys set credits_per_day_micro = 6000000, concurrent_requests = 1 where id = $1', [
    me.keyId,
  ]);
  const search = (headers: Record<string, string> = {}) =>
    me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' }, headers);
  const spent = async () => {
    const [row] = await database.query<{ micro: bigint }>(
      `select coalesce(sum(day_micro), 0)::bigint as micro from limit_counters where subject = $1`,
      [me.keyId],
    );
    return row?.micro;
  };
  assert.equal((await search()).status, 200);
  assert.equal((await search({ 'idempotency-key': 'limited' })).status, 200);
  const charged = (await chargesOf(server, me.accountId)).slice(1).reduce((sum, { micro }) => sum - micro, 0n);
  for (let look = 0; (await spent()) !== charged; look++) {
    assert.ok(look < 3_000, `${await spent()} of ${charged}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await database.query('update api_keys set credits_per_day_micro = 1 where id = $1', [me.keyId]);
  assert.deepEqual(errorOf(await search()), [429, 'rate_limited', null]);
});

test('mining adds near documents that are no positives behind the negatives that are there', async () => {
  const me = await someoneOn(server);
  const { datasetId, versionId, exampleIds } = await me.versionWith(shop(6));
  const { id } = await me.build(versionId);
  const mine = (body: object) => me.ask('POST', `/dataset-indexes/${id}/mine`, body);
  const dry = await mine({ dry_run: true, max_score_ratio: 1, max_negatives: 3 });
  assert.equal(dry.status, 200, JSON.stringify(dry.json));
  const head = async () => (await me.ask('GET', `/datasets/${datasetId}`)).json.head_sha256;
  assert.notEqual(await head(), null);
  type Result = { example_id: string; status: string; negatives: { text: string; document_id: string | null }[] };
  const results = dry.json.results as Result[];
  assert.equal(results.length, 6);
  assert.ok(results.some(({ status }) => status === 'mined'));

  // One example is changed meanwhile, and stays as it was left.
  const [changed = ''] = results.filter(({ status }) => status === 'mined').map(({ example_id }) => example_id);
  await me.ask('PATCH', `/datasets/${datasetId}/examples/${changed}`, {
    embedding: { query: 'mine now', positives: ['this'], negatives: ['that'] },
  });
  const pages: Result[] = [];
  let after: unknown;
  do {
    const page = await mine({ limit: 4, max_score_ratio: 1, max_negatives: 3, ...(after ? { after } : {}) });
    assert.equal(page.status, 200, JSON.stringify(page.json));
    pages.push(...(page.json.results as Result[]));
    after = page.json.next_after;
  } while (after);
  assert.deepEqual(
    pages.map(({ example_id }) => example_id),
    results.map(({ example_id }) => example_id),
  );
  for (const { example_id, status, negatives } of pages) {
    const { json } = await me.ask('GET', `/datasets/${datasetId}/examples/${example_id}`);
    const { positives, negatives: stored } = json.embedding as {
      positives: { text: string; document_id: string | null }[];
      negatives: { text: string }[];
    };
    if (example_id === changed) {
      assert.equal(status, 'changed');
      assert.deepEqual(stored, [{ text: 'that', document_id: null }]);
      continue;
    }
    assert.deepEqual(
      stored.map(({ text }) => text),
      negatives.map(({ text }) => text),
    );
    for (const { text, document_id } of negatives) {
      assert.ok(!positives.some((right) => right.text === text));
      assert.ok(document_id === null || !positives.some((right) => right.document_id === document_id));
    }
  }
  assert.ok(exampleIds.length === 12 && (await head()) === null);
  assert.deepEqual(errorOf(await mine({ after: 'x' })), [400, 'invalid_cursor', 'cursor']);
  assert.deepEqual(await doctor(server.db.database), []);
});

test('an index is stale once there is a newer version, is listed by state, and counts as a use of its version', async () => {
  const me = await someoneOn(server);
  const { datasetId, versionId } = await me.versionWith(shop(2));
  const { id } = await me.build(versionId);
  const usedBy = async () => (await me.ask('GET', `/dataset-versions/${versionId}`)).json.used_by;
  assert.deepEqual(await usedBy(), { training_jobs: 0, indexes: 1 });
  const listed = async (query: string) => {
    const { json } = await me.ask('GET', `/dataset-indexes?${query}`);
    return [(json.data as { id: string }[]).map((row) => row.id), json.total_count];
  };
  assert.deepEqual(await listed('state=ready'), [[id], 1]);
  await me.add(datasetId, [{ query: 'new', positives: ['text'] }]);
  await me.freeze(datasetId);
  assert.equal((await me.ask('GET', `/dataset-indexes/${id}`)).json.state, 'stale');
  assert.deepEqual(
    [await listed('state=ready'), await listed('state=stale')],
    [
      [[], 0],
      [[id], 1],
    ],
  );
  assert.equal((await me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' })).status, 200);
  const { json: page } = await me.ask('GET', '/dataset-indexes?limit=1');
  assert.equal(page.next_cursor, null);
  await me.build(versionId);
  const { json: first } = await me.ask('GET', '/dataset-indexes?limit=1');
  const second = await me.ask('GET', `/dataset-indexes?limit=1&cursor=${first.next_cursor}`);
  assert.deepEqual(
    (second.json.data as { id: string }[]).map((row) => row.id),
    [id],
  );
  const foreign = await me.ask('GET', `/dataset-indexes?limit=1&state=stale&cursor=${first.next_cursor}`);
  assert.deepEqual(errorOf(foreign), [400, 'invalid_cursor', 'cursor']);
  assert.equal((await me.ask('DELETE', `/dataset-indexes/${id}`)).status, 204);
  assert.deepEqual(errorOf(await me.ask('DELETE', `/dataset-indexes/${id}`)), [404, 'not_found', null]);
});
