import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { OperatorError } from '#kernel';
import { bearer, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { freePort } from '#test/free-port.ts';
import { longestAnswer } from '#test/long-answer.ts';
import { callForms, callModel, protocolRows, readingOf } from '#test/protocols.ts';
import type { Counted } from '#test/read-answer.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { createTelemetry } from './telemetry.ts';

let db: TestDatabase;
let app: TestApp;
let tenant: Tenant;
let port = 0;

before(async () => {
  db = await createTestDatabase();
  port = await freePort();
  app = await startApp(db.database, { settings: { FANFOLD_OPERATOR_PORT: String(port) } });
  tenant = await seedTenant(db.database, app.models);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

const silent = pino({ level: 'silent' });

async function page(path: string, method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() };
}

/** Values by name and labels, as `name{a="b"}`. */
async function scrape(): Promise<Map<string, number>> {
  const { status, text } = await page('/metrics');
  assert.equal(status, 200);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

function call(path: string, body: unknown, signal = AbortSignal.timeout(180_000), key = tenant.key) {
  return fetch(`${app.origin}/api/projects/${tenant.slug}/${path}`, {
    method: 'POST',
    headers: { ...bearer(key), 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
}

const chat = (extra: object = {}, signal?: AbortSignal) =>
  call(
    'chat/openai/v1/chat/completions',
    {
      model: 'chat',
      messages: [{ role: 'user', content: 'heliotrope' }],
      max_tokens: 8,
      reasoning_effort: 'none',
      ...extra,
    },
    signal,
  );

/** Once no request is in flight, in the eyes of the connections either. */
async function scrapeIdle(): Promise<Map<string, number>> {
  for (let tries = 0; ; tries++) {
    const values = await scrape();
    if (!values.get('fanfold_http_requests_in_flight') || tries === 1_500) return values;
    await sleep(20);
  }
}

/** What was added to each value while `work` ran; responses are counted when their connection knows that they are out. */
async function added(work: () => Promise<unknown>): Promise<(name: string) => number> {
  const before = await scrapeIdle();
  await work();
  const later = await scrapeIdle();
  return (name) => (later.get(name) ?? 0) - (before.get(name) ?? 0);
}

const chatRequests = (status: number) => `fanfold_http_requests_total{operation="chat.create",status="${status}"}`;
const chatCalls = (outcome: string) =>
  `fanfold_calls_total{operation="chat.create",model="fanfold-tiny-chat",outcome="${outcome}"}`;
const tokens = (kind: string) => `fanfold_tokens_total{model="fanfold-tiny-chat",kind="${kind}"}`;

test('requests are counted by operation and status, calls by base model and outcome, tokens as the caller was told', async () => {
  const used: Counted[] = [];
  const caller = { origin: app.origin, owner: tenant.slug, key: tenant.key };
  const more = await added(async () => {
    for (const { row, stream } of callForms) {
      const answer = await (await callModel(row, caller, { maxTokens: 8, stream })).text();
      if (row.kind === 'text') used.push(readingOf(row, { stream }).counted(answer));
      await (await callModel(row, caller, { text: 'lamp '.repeat(20_000), stream })).text();
    }
  });
  for (const { operation, kind, stream, name } of protocolRows) {
    const forms = stream ? 2 : 1;
    const requests = (status: number) => `fanfold_http_requests_total{operation="${operation}",status="${status}"}`;
    assert.deepEqual([more(requests(200)), more(requests(400))], [forms, forms], name);
    assert.equal(more(`fanfold_http_request_duration_seconds_count{operation="${operation}"}`), 2 * forms, name);
    const model = kind === 'text' ? 'fanfold-tiny-chat' : 'fanfold-tiny-embed';
    const calls = (outcome: string) =>
      more(`fanfold_calls_total{operation="${operation}",model="${model}",outcome="${outcome}"}`);
    // What the caller is told may be in other words.
    assert.deepEqual([calls('succeeded'), calls('invalid_request')], [forms, forms], name);
  }
  assert.equal(more('fanfold_http_requests_in_flight'), 0);
  const sum = (field: keyof Counted) => used.reduce((total, counted) => total + counted[field], 0);
  assert.equal(more(tokens('prompt')), sum('promptTokens'));
  assert.equal(more(tokens('completion')), sum('completionTokens'));
  assert.equal(more(tokens('cached')), sum('cachedTokens'));
  assert.equal(more('fanfold_call_time_to_first_token_seconds_count{model="fanfold-tiny-chat"}'), used.length);
  assert.ok(more('fanfold_active_seconds_total{model="fanfold-tiny-chat"}') > 0);
});

test('a call that began before its admission and was refused is counted as a request, and as no call', async () => {
  const { key, keyId } = await seedKey(db.database, { accountId: tenant.accountId });
  const asked = { model: 'chat', messages: [{ role: 'user', content: 'heliotrope' }], max_tokens: 8 };
  const ask = async () => {
    const response = await call('chat/openai/v1/chat/completions', asked, undefined, key);
    await response.text();
    return response.status;
  };
  assert.equal(await ask(), 200);
  await db.database.query('delete from api_keys where id = $1', [keyId]);
  const inFlight = 'fanfold_calls_in_flight{operation="chat.create",model="fanfold-tiny-chat"}';
  const more = await added(async () => {
    assert.equal(await ask(), 401);
    for (let tries = 0; (await scrape()).get(inFlight) !== 0 && tries < 1_500; tries++) await sleep(20);
  });
  assert.equal(more(chatRequests(401)), 1);
  assert.equal(more(inFlight), 0);
  for (const outcome of ['succeeded', 'client_disconnected', 'invalid_credentials', 'request_timeout'])
    assert.equal(more(chatCalls(outcome)), 0, outcome);
  assert.equal(more('fanfold_call_time_to_first_token_seconds_count{model="fanfold-tiny-chat"}'), 0);
});

test('shared statements tell their sizes, waits and times', async () => {
  const more = await added(() => Promise.all(Array.from({ length: 6 }, async () => (await chat()).text())));
  assert.equal(more('fanfold_batch_size_sum{batcher="inference.admit"}'), 6);
  const runs = more('fanfold_batch_size_count{batcher="inference.admit"}');
  assert.ok(runs >= 1 && runs <= 6);
  assert.equal(more('fanfold_batch_wait_seconds_count{batcher="inference.admit"}'), runs);
  assert.ok(more('fanfold_batch_run_seconds_sum{batcher="inference.admit"}') > 0);
  assert.ok(more('fanfold_batch_size_sum{batcher="calls.end"}') >= 6);
});

test('a caller who leaves is a 499, and his call has the outcome client_disconnected', async () => {
  const more = await added(async () => {
    const controller = new AbortController();
    const body = { ...longestAnswer, messages: [{ role: 'user', content: 'Go on.' }] };
    const response = await chat(body, controller.signal);
    await response.body?.getReader().read();
    controller.abort();
    for (let tries = 0; tries < 3_000; tries++) {
      if ((await scrape()).get(chatCalls('client_disconnected'))) return;
      await sleep(20);
    }
  });
  assert.deepEqual([more(chatRequests(499)), more(chatCalls('client_disconnected'))], [1, 1]);
  assert.equal(more('fanfold_calls_in_flight{operation="chat.create",model="fanfold-tiny-chat"}'), 0);
});

test('the engine, the pool of connections and the process itself can be seen', async () => {
  await (await chat()).text();
  const values = await scrape();
  const state = (model: string, name: string) => values.get(`fanfold_model_state{model="${model}",state="${name}"}`);
  assert.deepEqual([state('fanfold-tiny-chat', 'ready'), state('fanfold-tiny-chat', 'cold')], [1, 0]);
  assert.equal(values.get('fanfold_model_calls{model="fanfold-tiny-chat",stage="waiting"}'), 0);
  assert.ok((values.get('fanfold_database_connections{state="idle"}') ?? 0) >= 1);
  assert.equal(values.get('fanfold_saved_calls{outcome="stored"}'), 0);
  assert.ok((values.get('process_resident_memory_bytes') ?? 0) > 1e6);
  assert.ok(values.has('nodejs_eventloop_lag_p99_seconds'));
});

test('nothing that a tenant or a stranger makes up becomes a label', async () => {
  const made = ['heliotrope', 'zinnia', tenant.slug, tenant.key, tenant.keyId, tenant.accountId];
  await Promise.all(
    Array.from({ length: 50 }, (_, i) => fetch(`${app.origin}/zinnia/${i}`, { headers: { 'user-agent': 'zinnia' } })),
  );
  await (await chat({ model: 'zinnia' })).text();
  await (await chat({ user: 'zinnia' })).text();
  const { text } = await page('/metrics');
  for (const word of made) assert.ok(!text.includes(word), word);
  const unknown = [...(await scrape()).keys()].filter((name) => name.includes('operation="unknown"'));
  assert.ok(unknown.length > 0 && unknown.length < 30, `${unknown.length} series for paths that do not exist`);
  assert.ok((await scrape()).size < 2_000);
});

test('the operator port answers its three pages and nothing of the API, and the port of the API has none of them', async () => {
  assert.deepEqual(await page('/healthz'), { status: 200, type: 'text/plain; charset=utf-8', text: 'ok\n' });
  assert.equal((await page('/readyz')).text, 'ready\n');
  const { status, type, text } = await page('/metrics?x=1');
  assert.deepEqual([status, type?.startsWith('text/plain'), text.includes('# HELP')], [200, true, true]);
  assert.deepEqual([(await page('/api/v1/keys')).status, (await page('/')).status], [404, 404]);
  assert.deepEqual([(await page('/metrics', 'POST')).status, (await page('/metrics', 'HEAD')).text], [405, '']);
  const outside = await fetch(`${app.origin}/metrics`);
  assert.deepEqual([outside.status, JSON.parse(await outside.text()).error.code], [404, 'not_found']);
});

test('readiness ends when the process is about to end or cannot serve', async () => {
  const operator = { host: '127.0.0.1', port: 0 };
  const telemetry = await createTelemetry({ operator, tracing: null, log: silent });
  const state = { away: false };
  const none = { open: 0, idle: 0, waiting: 0 };
  const observed = {
    models: () => [],
    runtime: () => ({ status: 'cold' as const, running: 0, waiting: 0 }),
    database: () => none,
    savedCalls: () => ({ stored: 0, skipped: 0, dropped: 0 }),
  };
  await telemetry.start(observed, async () => {
    if (state.away) throw new Error('away');
  });
  const ready = async () => (await fetch(`http://127.0.0.1:${telemetry.port()}/readyz`)).status;
  assert.equal(await ready(), 200);
  state.away = true;
  assert.equal(await ready(), 503);
  state.away = false;
  telemetry.ending();
  assert.equal(await ready(), 503);
  assert.equal((await fetch(`http://127.0.0.1:${telemetry.port()}/healthz`)).status, 200);
  await telemetry.stop();
  await assert.rejects(ready());
});

test('a port that is taken stops the start with one sentence that says so', async () => {
  const other = createServer().listen({ host: '127.0.0.1', port: 0 });
  await once(other, 'listening');
  const address = other.address();
  assert.ok(address && typeof address === 'object');
  const telemetry = await createTelemetry({
    operator: { host: '127.0.0.1', port: address.port },
    tracing: null,
    log: silent,
  });
  const observed = {
    models: () => [],
    runtime: () => ({ status: 'cold' as const, running: 0, waiting: 0 }),
    database: () => ({ open: 0, idle: 0, waiting: 0 }),
    savedCalls: () => ({ stored: 0, skipped: 0, dropped: 0 }),
  };
  const isSaid = (error: unknown) =>
    error instanceof OperatorError && /EADDRINUSE.*FANFOLD_OPERATOR_PORT/.test(error.message);
  await assert.rejects(
    telemetry.start(observed, async () => {}),
    isSaid,
  );
  await telemetry.stop();
  other.close();
});

test('whoever wants to see nothing pays nothing: no listener on requests, none on calls, no port', async () => {
  const telemetry = await createTelemetry({ operator: null, tracing: null, log: silent });
  assert.deepEqual([telemetry.watchRequest, telemetry.observeCall, telemetry.port()], [null, null, null]);
  await telemetry.stop();
});
