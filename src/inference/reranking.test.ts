import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { addModel } from '#models';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { writeRandomReranker } from '#test/random-reranker.ts';
import { openShippedModels } from '#test/shipped-models.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'fanfold-reranking-'));
let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;

before(async () => {
  const ggufPath = join(dataDir, 'reranker.gguf');
  writeRandomReranker(ggufPath);
  const { contextTokens } = await addModel(openShippedModels(dataDir), { id: 'ranker', kind: 'reranker', ggufPath });
  assert.equal(contextTokens, 256);
  pg = await createTestDatabase();
  app = await startApp(pg.database, { dataDir });
  ada = await seedTenant(pg.database, app.models);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
  rmSync(dataDir, { recursive: true });
});

const question = {
  model: 'ranker',
  query: 'how is the red lamp?',
  documents: ['the door', 'red lamp', '9', 'the red lamp is 9'],
};

type Sent = { as?: Tenant; owner?: string; path?: string; project?: string; headers?: Record<string, string> };

async function ask(fields: object = {}, sent: Sent = {}) {
  const { as = ada, owner = as.slug, project = 'search', path = 'openai/v1/rerank', headers = {} } = sent;
  const response = await fetch(`${app.origin}/api/projects/${owner}/${project}/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${as.key}`, ...headers },
    body: JSON.stringify({ ...question, ...fields }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

test('documents come back in the order of their scores, which are the same alone and in any company', async () => {
  const { status, json } = await ask();
  assert.equal(status, 200, JSON.stringify(json));
  const { results, usage } = json;
  const scores = results.map((result: { relevance_score: number }) => result.relevance_score);
  assert.deepEqual(
    scores,
    scores.toSorted((a: number, b: number) => b - a),
  );
  assert.deepEqual(results.map(({ index }: { index: number }) => index).toSorted(), [0, 1, 2, 3]);
  assert.ok(scores.every((score: number) => score > 0 && score < 1));
  // [CLS], six tokens of the query, [SEP], the document, [SEP].
  assert.deepEqual(usage, { prompt_tokens: 4 * 9 + 2 + 2 + 1 + 5, total_tokens: 46 });
  const [best] = results;
  const alone = await ask({ documents: [{ text: question.documents[best.index] }], return_documents: true });
  assert.deepEqual(alone.json.results, [
    { index: 0, relevance_score: best.relevance_score, document: { text: question.documents[best.index] } },
  ]);
  const top = await ask({ top_n: 2 });
  assert.deepEqual(top.json.results, results.slice(0, 2));
  assert.equal((await ask({ top_n: 9 })).json.results.length, 4);
});

test('a call is charged once for its active time, also when it is repeated with its key, and leaves a ledger row of its operation', async () => {
  const headers = { 'idempotency-key': randomUUID() };
  const first = await ask({}, { headers });
  const again = await ask({}, { headers });
  assert.deepEqual([again.status, again.text, again.headers.get('idempotent-replay')], [200, first.text, 'true']);
  assert.equal(first.json.id, first.headers.get('x-request-id'));
  const rows = await pg.database.query<{ operation: string; micro: bigint; usage: number }>(
    'select operation, prompt_tokens as usage, -micro as micro from ledger where request_id = $1',
    [first.json.id],
  );
  assert.equal(rows.length, 1);
  assert.deepEqual([rows[0]?.operation, Number(rows[0]?.usage)], ['rerank.create', 46]);
  assert.ok((rows[0]?.micro ?? 0n) >= 50n);
});

test('what cannot be ranked is refused, and names its field', async () => {
  const long = 'the red lamp '.repeat(300);
  const cases: [object, number, string, string | undefined, RegExp][] = [
    [{ documents: [] }, 400, 'invalid_request', 'documents', /at least one document/],
    [{ documents: ['a', ''] }, 400, 'invalid_request', 'documents[1]', /non-empty string/],
    [{ documents: ['a', { url: 'x' }] }, 400, 'invalid_request', 'documents[1]', /non-empty string/],
    [{ query: '' }, 400, 'invalid_request', 'query', /./],
    [{ top_n: 0 }, 400, 'invalid_request', 'top_n', /./],
    [{ rank_fields: ['text'] }, 400, 'invalid_request', 'rank_fields', /not supported/],
    [
      { documents: Array(101).fill('a') },
      400,
      'invalid_request',
      'documents',
      /at most 100 documents, and there are 101/,
    ],
    [
      { documents: ['a', long] },
      400,
      'invalid_request',
      'documents',
      /the query and documents\[1\] have \d+ tokens together, the limit is 256/,
    ],
    [
      { documents: ['a', long.repeat(9)] },
      400,
      'invalid_request',
      'documents',
      /at least \d+ tokens together, the limit is 256/,
    ],
    [{ query: long }, 400, 'invalid_request', 'query', /limit is 256 for query and document together/],
    [{ query: long.repeat(9) }, 400, 'invalid_request', 'query', /limit is 256 for query and document together/],
    [
      { documents: Array(100).fill('the red lamp is 9 '.repeat(40)) },
      400,
      'invalid_request',
      'documents',
      /the limit is 16384/,
    ],
    [{ model: 'fanfold-tiny-embed' }, 400, 'invalid_request', 'model', /is no reranker/],
    [{ model: 'nothing' }, 404, 'model_not_found', 'model', /./],
  ];
  for (const [fields, status, code, param, message] of cases) {
    const { json, ...got } = await ask(fields);
    assert.deepEqual([got.status, json.error?.code, json.error?.param], [status, code, param], JSON.stringify(json));
    assert.match(json.error.message, message);
  }
  const cut = await ask({ documents: ['a', long.repeat(9)], truncate: true });
  assert.equal(cut.status, 200, cut.text);
  assert.equal(cut.json.usage.prompt_tokens, 10 + 256);
  const short = await ask({ documents: ['a', long], max_tokens_per_doc: 4 });
  assert.equal(short.json.usage.prompt_tokens, 10 + 13);
  const inText = await ask({ model: 'chat' }, { project: 'chat' });
  assert.deepEqual([inText.status, inText.json.error.code], [409, 'embeddings_not_enabled']);
});

test('a reranker embeds nothing, and a stranger may not call it as a base model', async () => {
  const embedded = await ask({ input: 'a' }, { path: 'openai/v1/embeddings' });
  assert.deepEqual([embedded.status, embedded.json.error.param], [404, 'model']);
  const bob = await seedTenant(pg.database, app.models);
  const asked = await ask({}, { as: bob, owner: ada.slug });
  assert.deepEqual([asked.status, asked.json.error.code], [404, 'project_not_found']);
});

test('an alias of an embedding project can stand for a reranker, which lists and prices show as such', async () => {
  const api = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' };
    const response = await fetch(`${app.origin}/api/v1/${path}`, { ...init, headers });
    return { status: response.status, json: JSON.parse(await response.text()) };
  };
  const create = (project: string) =>
    api(`projects/${ada.slug}/${project}/hosted-models`, {
      method: 'POST',
      body: JSON.stringify({ alias: 'rank', target: { type: 'base_model', id: 'ranker' }, activate: true }),
    });
  assert.equal((await create('chat')).json.error.code, 'kind_mismatch');
  const { status, json } = await create('search');
  assert.deepEqual(
    [status, json.kind, json.limits.max_inputs, json.limits.max_input_tokens],
    [201, 'reranker', 100, 256],
  );
  for (;;) {
    const { json: model } = await api(`projects/${ada.slug}/search/hosted-models/${json.id}`);
    assert.notEqual(model.state, 'failed', JSON.stringify(model));
    if (model.state === 'active') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.equal((await ask({ model: 'rank' })).status, 200);
  const refs = async (query: string) =>
    (await api(`models?${query}`)).json.data.map(({ ref, kind }: { ref: string; kind: string }) => `${ref} ${kind}`);
  assert.deepEqual(await refs('kind=reranker'), ['rank reranker', 'ranker reranker']);
  assert.ok((await refs('kind=embedding&source=hosted')).every((each: string) => !each.startsWith('rank ')));
  const prices = await api('pricing/models?kind=reranker');
  assert.deepEqual(
    prices.json.data.map(({ model, operation }: Record<string, string>) => [model, operation]),
    [['ranker', 'inference']],
  );
  const estimate = await api('pricing/estimate', {
    method: 'POST',
    body: JSON.stringify({ operation: 'inference', model: 'ranker', inputs: 10, input_tokens: 200 }),
  });
  assert.equal(estimate.status, 200, JSON.stringify(estimate.json));
});

test("clients of Cohere get results in Cohere's form, and errors too", async () => {
  const path = 'cohere/v2/rerank';
  const { json } = await ask({ top_n: 1, max_tokens_per_doc: 4096, priority: 0 }, { path });
  assert.equal(json.results.length, 1);
  assert.deepEqual(json.meta, {
    api_version: { version: '2' },
    billed_units: { search_units: 1 },
    tokens: { input_tokens: 46 },
  });
  const refused = await ask({ documents: [] }, { path });
  assert.deepEqual([refused.status, typeof refused.json.message], [400, 'string']);
});
