import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { fault } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longestAnswer } from '#test/long-answer.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** What is told of calls afterwards, and what happens when nobody knows whether a call was charged. */
let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;
/** Of a settlement nobody hears while this is set: done, or not done. */
const trouble: { settlements: 'none' | 'lost answer' | 'lost statement' } = { settlements: 'none' };

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(troubled(pg.database), { timing: { settleForMs: 100 } });
  ada = await seedTenant(pg.database, app.models);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

function troubled(database: Database): Database {
  const away = () => fault('service_unavailable', { retryAfterSeconds: 1 });
  return {
    ...database,
    async query(text, values, options) {
      const isSettlement = options?.name?.startsWith('billing.settle') ?? false;
      if (isSettlement && trouble.settlements === 'lost statement') throw away();
      const rows = await database.query<never>(text, values, options);
      if (isSettlement && trouble.settlements === 'lost answer') throw away();
      return rows;
    },
  };
}

type Sent = { key?: string; signal?: AbortSignal; as?: Tenant };

function chat(extra: object = {}, { key, signal = AbortSignal.timeout(180_000), as = ada }: Sent = {}) {
  return fetch(`${app.origin}/api/projects/${as.slug}/chat/openai/v1/chat/completions`, {
    method: 'POST',
    headers: {
      ...bearer(as.key),
      'content-type': 'application/json',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: JSON.stringify({
      model: 'chat',
      messages: [{ role: 'user', content: 'Hello!' }],
      max_tokens: 4,
      reasoning_effort: 'none',
      ...extra,
    }),
    signal,
  });
}

type RecordWire = {
  state: string;
  http_status: number | null;
  error_code: string | null;
  credits: string;
  route: string | null;
  active_ms: number;
  created_at: string;
  finished_at: string | null;
};

async function recordOf(id: string | null, as: Tenant = ada) {
  const response = await fetch(`${app.origin}/api/v1/requests/${id}`, { headers: bearer(as.key) });
  // as: a record of another shape fails in the assertions on it.
  return { status: response.status, body: (await response.json()) as RecordWire };
}

/**
 * The record once it is no longer missing: failures are written in the moment after the answer.
 *
 * @param wait.withError also until the failure is told: a charge is in the ledger before it is written down how its call failed.
 */
async function settledRecordOf(id: string | null, { withError = false } = {}) {
  for (let tries = 0; tries < 6_000; tries++) {
    const record = await recordOf(id);
    const isWhole = record.body.finished_at !== null && (!withError || record.body.error_code !== null);
    if (record.status === 200 && isWhole) return record.body;
    await sleep(10);
  }
  return assert.fail(`Nothing is known of ${id}.`);
}

async function codeOf(response: Response): Promise<string | undefined> {
  const body = (await response.json()) as { error?: { code: string } };
  return body.error?.code;
}

test('a call that succeeded is told with its route, price and times as soon as it is answered', async () => {
  const begun = Date.now();
  const response = await chat();
  await response.text();
  const id = response.headers.get('x-request-id');
  const { status, body } = await recordOf(id);
  const { created_at: created, finished_at: finished, active_ms: activeMs, credits, ...rest } = body;
  assert.deepEqual(
    [status, rest],
    [
      200,
      {
        id,
        route: 'chat.create',
        project: { owner: ada.slug, slug: 'chat' },
        model: 'chat',
        state: 'succeeded',
        http_status: 200,
        error_code: null,
      },
    ],
  );
  assert.match(credits, /^0\.[0-9]{6}$/);
  assert.ok(Number(credits) > 0);
  assert.ok(Number.isInteger(activeMs));
  assert.ok(Date.parse(created) >= begun && Date.parse(finished ?? '') >= Date.parse(created));
});

test('a call that failed is told with its status and code, whatever it failed for', async () => {
  const poor = await seedTenant(pg.database, app.models, { credits: 1 });
  for (const [response, status, code] of [
    [await chat({ model: 'unknown' }), 404, 'model_not_found'],
    [await chat({ max_tokens: 'many' }), 400, 'invalid_request'],
    [await chat({ max_tokens: 1_000_000 }), 400, 'invalid_request'],
    [await chat({ stream: true, model: 'unknown' }), 404, 'model_not_found'],
  ] as const) {
    assert.equal(response.status, status);
    const record = await settledRecordOf(response.headers.get('x-request-id'));
    assert.deepEqual(
      [record.state, record.http_status, record.error_code, record.credits, record.route],
      ['failed', status, code, '0.000000', 'chat.create'],
    );
  }
  await pg.database.query('update accounts set held_micro = balance_micro where id = $1', [poor.accountId]);
  const refused = await chat({}, { as: poor });
  assert.equal(refused.status, 402);
  assert.equal((await recordOf(refused.headers.get('x-request-id'))).status, 404, 'it is not ours');
});

test('a call that runs is told to run, and a call whose caller left to be canceled, at its price', async () => {
  const leave = new AbortController();
  const response = await chat(longestAnswer, { signal: leave.signal });
  const id = response.headers.get('x-request-id');
  await response.body?.getReader().read();
  const { state, finished_at: finished, route } = (await recordOf(id)).body;
  assert.deepEqual([state, finished, route], ['running', null, 'chat.create']);
  leave.abort();
  const record = await settledRecordOf(id);
  assert.deepEqual([record.state, record.http_status], ['canceled', null]);
  assert.notEqual(record.credits, '0.000000');
});

test('a charge of which nobody heard is answered 424, told as it is, and not repeated by a client that tries again', async () => {
  const body = { messages: [{ role: 'user', content: randomUUID() }] };
  trouble.settlements = 'lost answer';
  const response = await chat(body);
  trouble.settlements = 'none';
  const id = response.headers.get('x-request-id');
  assert.deepEqual([response.status, await codeOf(response)], [424, 'ambiguous_transport']);
  assert.deepEqual([response.headers.get('x-should-retry'), response.headers.get('retry-after')], ['false', null]);
  const record = await settledRecordOf(id, { withError: true });
  // It was charged, and that is what counts.
  assert.deepEqual([record.state, record.http_status, record.error_code], ['succeeded', 424, 'ambiguous_transport']);

  for (let tries = 0; tries < 3; tries++) {
    const again = await chat(body);
    assert.equal(again.headers.get('x-fnf-request-id'), id);
    assert.deepEqual([again.status, await codeOf(again)], [424, 'ambiguous_transport']);
  }
  const other = await chat({ messages: [{ role: 'user', content: randomUUID() }] });
  assert.deepEqual([other.status, await codeOf(other)], [200, undefined]);
  const meant = await chat(body, { key: randomUUID() });
  assert.equal(meant.status, 200, 'with a key of its own it is another call');
  await meant.text();
});

test('a charge that was not made is unknown, and in a stream it ends as an error frame', async () => {
  const body = { stream: true, messages: [{ role: 'user', content: randomUUID() }] };
  trouble.settlements = 'lost statement';
  const response = await chat(body);
  const text = await response.text();
  trouble.settlements = 'none';
  assert.equal(response.status, 200);
  assert.match(text, /"code":"ambiguous_transport"/);
  assert.doesNotMatch(text, /\[DONE\]/);
  const record = await settledRecordOf(response.headers.get('x-request-id'));
  assert.deepEqual([record.state, record.http_status, record.credits], ['unknown', 200, '0.000000']);
  const again = await chat(body);
  assert.equal(again.status, 424);
  const repeated = await settledRecordOf(again.headers.get('x-request-id'));
  assert.deepEqual([repeated.state, repeated.http_status], ['failed', 424], 'this one was not run');
});

test('a call with a key whose charge is unknown is paid and answered when it is sent again', async () => {
  for (const kind of ['lost answer', 'lost statement'] as const) {
    const [key, body] = [randomUUID(), { messages: [{ role: 'user', content: randomUUID() }] }];
    trouble.settlements = kind;
    const first = await chat(body, { key });
    assert.deepEqual([first.status, await codeOf(first)], [424, 'ambiguous_transport']);
    trouble.settlements = 'none';
    const again = await chat(body, { key });
    const id = first.headers.get('x-request-id');
    assert.deepEqual([again.status, again.headers.get('x-fnf-request-id')], [200, id]);
    const rows = await pg.database.query('select from ledger where request_id = $1', [id]);
    assert.equal(rows.length, 1);
    assert.equal((await recordOf(id)).body.state, 'succeeded');
  }
});
