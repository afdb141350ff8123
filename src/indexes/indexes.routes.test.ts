import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { doctor } from '#billing';
import { insertHostedModel, type TrainedModel } from '#models';
import { writeRandomAdapter } from '#test/lora-adapter.ts';
import { qwen600m } from '#test/random-model.ts';
import {
  chargesOf,
  errorOf,
  type IndexesServer,
  shop,
  someoneOn,
  startIndexesServer,
} from './indexes-server.fixture.ts';

let server: IndexesServer;
const trained = new Map<string, TrainedModel>();

before(async () => {
  server = await startIndexesServer({ trained });
});
after(() => server.stop());

const dot = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

/** What the engine makes of texts, asked for directly. */
async function embed(texts: readonly string[]): Promise<Float32Array[]> {
  const signal = new AbortController().signal;
  const target = { baseModelId: 'fanfold-tiny-embed', adapter: null };
  const { handle } = await server.engine.prepareEmbedding(
    { target, texts: [...texts], maxInputTokens: 512, truncate: true },
    signal,
  );
  return (await server.engine.embed({ handle, signal })).vectors;
}

const instructed = (query: string) =>
  `Instruct: Given a customer question, retrieve the passage that answers it\nQuery:${query}`;

test('an index is built, measured as a naive calculation measures, searched exactly, and charged once', async () => {
  const me = await someoneOn(server);
  const examples = shop(9);
  const { datasetId, versionId } = await me.versionWith(examples);
  const index = await me.build(versionId);
  assert.equal(index.state, 'ready', JSON.stringify(index.error));
  const { id, active_ms, credits, created_at, ready_at, metrics, ...rest } = index;
  assert.deepEqual(rest, {
    ...{ dataset_id: datasetId, version_id: versionId, model: 'fanfold-tiny-embed', base_model: 'fanfold-tiny-embed' },
    ...{ model_revision: null, dimensions: 128, documents: 18, truncated: 0, state: 'ready', error: null },
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
  assert.equal(charges[0]?.active_ms, active_ms);
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

test('a search that is sent again under its Idempotency-Key is charged once, and gets its answer again', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(2));
  const { id } = await me.build(versionId);
  const before = (await chargesOf(server, me.accountId)).length;
  const search = () => me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' }, { 'idempotency-key': 'one' });
  const [first, again] = [await search(), await search()];
  assert.deepEqual([again.status, again.json], [200, first.json]);
  assert.equal(again.headers.get('idempotent-replay'), 'true');
  assert.equal((await chargesOf(server, me.accountId)).length, before + 1);
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

test('an index keeps the model of its alias when that is pointed elsewhere, at its frozen rate, and is stale', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(2));
  const { database } = server.db;
  const baseModel = server.options.models.find('fanfold-tiny-embed');
  assert.ok(baseModel);
  const dear = { ...baseModel, rateMicroPerMinute: 60_000n, priceVersion: 'frozen' };
  await insertHostedModel(database, { projectId: me.projectId, alias: 'search', baseModel: dear, active: true });
  const index = await me.build(versionId, 'search');
  assert.deepEqual(
    [index.state, index.model, index.base_model, index.model_revision],
    [...['ready', 'search', 'fanfold-tiny-embed', 1]],
  );
  assert.deepEqual(index.rate, { credits_per_gpu_minute: '0.060000', price_version: 'frozen' });
  await database.query('update hosted_models set revision = 2, rate_micro_per_minute = 1 where project_id = $1', [
    me.projectId,
  ]);
  assert.equal((await me.ask('GET', `/dataset-indexes/${index.id}`)).json.state, 'stale');
  const { json } = await me.ask('POST', `/dataset-indexes/${index.id}/search`, { query: 'lamp' });
  assert.equal(json.model_revision, 1);
  const [row] = await database.query<{ rate: bigint; requested: string }>(
    `select rate_micro_per_minute as rate, model_requested as requested from ledger
      where account_id = $1 and type = 'inference'`,
    [me.accountId],
  );
  assert.deepEqual(row, { rate: 60_000n, requested: 'search' });
});

test('an index is built with the adapter of a training job, and asks with it as long as it is there', async () => {
  const path = join(server.options.folder, 'adapter.gguf');
  const shape = { ...qwen600m, layers: 4, width: 128, heads: 2, cacheHeads: 1, headWidth: 64, feedForward: 384 };
  writeRandomAdapter(path, { shape, rank: 4, alpha: 8, seed: 3, spreadOfB: 0.3 });
  const adapter = { sha256: 'ab'.repeat(32), path };
  const job = { jobId: 'job_1', kind: 'embedding', baseModelId: 'fanfold-tiny-embed', state: 'succeeded' } as const;
  trained.set('job_1', { ...job, adapter, maxInputTokens: 256, queryInstruction: 'Find it' });
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith([{ query: 'lamp', positives: ['A lamp gives light.'] }]);
  const { id, state, model } = await me.build(versionId, 'training-job#job_1');
  assert.deepEqual([state, model], ['ready', 'training-job#job_1']);
  const [stored] = await server.db.database.query<{ vectors: Buffer }>(
    'select vectors from index_vectors where index_id = $1',
    [id],
  );
  assert.ok(stored);
  const [base] = await embed(['A lamp gives light.']);
  const vector = new Float32Array(new Uint8Array(stored.vectors).buffer);
  assert.ok(base && dot(vector, vector) > 0.999 && dot(vector, base) < 0.99);
  const search = () => me.ask('POST', `/dataset-indexes/${id}/search`, { query: 'lamp' });
  assert.equal((await search()).status, 200);
  trained.clear();
  const gone = await search();
  assert.deepEqual(
    [errorOf(gone), (gone.json.error as { details: object }).details],
    [[409, 'state_conflict', null], { reason: 'model_changed' }],
  );
});

test('what cannot be built is refused with the field and the reason', async () => {
  const me = await someoneOn(server);
  const { versionId } = await me.versionWith(shop(1));
  const create = (body: object) => me.ask('POST', '/dataset-indexes', body);
  const model = 'fanfold-tiny-embed';
  for (const [body, expected] of [
    [{ model }, [422, 'invalid_request', 'version_id']],
    [{ version_id: versionId, model: 7 }, [422, 'invalid_request', 'model']],
    [{ version_id: 'dsv_00000000000000000000000000', model }, [404, 'not_found', 'version_id']],
    [{ version_id: 'dsv_%01', model }, [404, 'not_found', 'version_id']],
    [{ version_id: versionId, model: 'nobody' }, [404, 'model_not_found', 'model']],
    [{ version_id: versionId, model: 'fanfold-tiny-chat' }, [409, 'kind_mismatch', 'model']],
  ] as const)
    assert.deepEqual(errorOf(await create(body)), expected, JSON.stringify(body));
  const empty = await me.versionWith([]);
  assert.deepEqual(errorOf(await create({ version_id: empty.versionId, model })), [409, 'state_conflict', null]);
  const writer = await someoneOn(server, { kind: 'text' });
  assert.deepEqual(errorOf(await writer.ask('POST', '/dataset-indexes', { version_id: versionId, model })), [
    ...[409, 'kind_mismatch', null],
  ]);
  const poor = await someoneOn(server, { micro: 1n });
  const theirs = await poor.versionWith(shop(1));
  assert.equal((await poor.ask('POST', '/dataset-indexes', { version_id: theirs.versionId, model })).status, 402);
  const { id } = await me.build(versionId);
  const search = (body: object) => me.ask('POST', `/dataset-indexes/${id}/search`, body);
  for (const [body, expected] of [
    [{}, [422, 'invalid_request', 'query']],
    [{ query: ' ' }, [400, 'invalid_request', 'query']],
    [{ query: 'x', top_k: 51 }, [400, 'invalid_request', 'top_k']],
    [{ query: 'word '.repeat(2_000) }, [400, 'invalid_request', 'query']],
  ] as const)
    assert.deepEqual(errorOf(await search(body)), expected);
  for (let built = 1; built < 6; built++) await create({ version_id: versionId, model });
  const tooMany = await create({ version_id: versionId, model });
  assert.deepEqual(
    [errorOf(tooMany), (tooMany.json.error as { details: object }).details],
    [[409, 'state_conflict', null], { reason: 'max_indexes', limit: 6, actual: 6 }],
  );
  assert.deepEqual(errorOf(await me.ask('POST', `/dataset-indexes/${id}/cancel`)), [409, 'state_conflict', null]);
});
