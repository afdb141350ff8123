import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { fault } from '#kernel';
import { bearer } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Asked, callForms, callModel, type ProtocolRow, protocolRows, streamingRows } from '#test/protocols.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';

/** What is told of calls of every protocol afterwards, and what happens when nobody knows whether a call was charged. */
let pg: TestDatabase;
let app: TestApp;
let ada: Tenant;
/** Of a settlement nobody hears while this is set: done, or not done. */
const failure: { settlements: 'none' | 'lost answer' | 'lost statement' } = { settlements: 'none' };

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(failing(pg.database), { timing: { endForMs: 100 } });
  ada = await seedTenant(pg.database, app.models);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

function failing(database: Database): Database {
  const away = () => fault('service_unavailable', { retryAfterSeconds: 1 });
  async function end<T>(run: () => Promise<T>): Promise<T> {
    if (failure.settlements === 'lost statement') throw away();
    const result = await run();
    if (failure.settlements === 'lost answer') throw away();
    return result;
  }
  return {
    ...database,
    async query(text, values, options) {
      return options?.name === 'calls.end'
        ? end(() => database.query(text, values, options))
        : database.query(text, values, options);
    },
    // Of calls, only ends that store something with the charge.
    transaction: (work) => end(() => database.transaction(work)),
  };
}

type Sent = Asked & { key?: string; signal?: AbortSignal; as?: Tenant };

function call(row: ProtocolRow, { key, signal, as = ada, ...asked }: Sent = {}): Promise<Response> {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const caller = { origin: app.origin, owner: as.slug, key: as.key, headers, ...(signal ? { signal } : {}) };
  return callModel(row, caller, asked);
}

type RecordWire = {
  state: string;
  http_status: number | null;
  error_code: string | null;
  error_message: string | null;
  key: { id: string; name: string } | null;
  prompt_tokens: number | null;
  completion_tokens: number | null;
  first_token_ms: number | null;
  total_ms: number | null;
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
 * The record once it is no longer missing: failures are written just after the answer.
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

const toldOf = async (row: ProtocolRow, response: Response) => [response.status, row.errorIn(await response.text())];

test('a call that succeeded is told with its route, price and times as soon as it is answered', async () => {
  for (const { row, stream } of callForms) {
    const begun = Date.now();
    const response = await call(row, { stream });
    await response.text();
    const id = response.headers.get('x-request-id');
    const { status, body } = await recordOf(id);
    const { created_at: created, finished_at: finished, active_ms: activeMs, credits, key, ...told } = body;
    const { prompt_tokens: promptTokens, completion_tokens: completionTokens, ...timed } = told;
    // Times are known when the background has written them.
    const { first_token_ms: _first, total_ms: _total, ...rest } = timed;
    assert.equal(key?.id, ada.keyId);
    assert.ok(promptTokens !== null && promptTokens > 0 && completionTokens !== null);
    const project = { owner: ada.slug, slug: row.project };
    const ending = { state: 'succeeded', http_status: 200, error_code: null, error_message: null };
    assert.deepEqual([status, rest], [200, { id, route: row.operation, project, model: row.project, ...ending }]);
    assert.match(credits, /^0\.[0-9]{6}$/);
    assert.ok(Number(credits) > 0);
    assert.ok(Number.isInteger(activeMs));
    assert.ok(Date.parse(created) >= begun && Date.parse(finished ?? '') >= Date.parse(created));
  }
});

test('a call that failed is told with its status and code, whatever it failed for', async () => {
  const poor = await seedTenant(pg.database, app.models, { credits: 1 });
  await pg.database.query('update accounts set held_micro = balance_micro where id = $1', [poor.accountId]);
  const wrong = { extra: { temperature: 'warm', encoding_format: 'words' } };
  for (const { row, stream } of callForms) {
    for (const [asked, code] of [
      [{ model: 'unknown' }, 'model_not_found'],
      [wrong, 'invalid_request'],
      [{ text: 'lamp '.repeat(20_000) }, row.tooLong],
      ...(row.kind === 'text' && !row.fitsContext ? [[{ maxTokens: 1_000_000 }, row.tooLong] as const] : []),
    ] as const) {
      const response = await call(row, { ...asked, stream });
      const [status, word] = await toldOf(row, response);
      assert.equal(word, row.refusal(code)[1], row.name);
      const record = await settledRecordOf(response.headers.get('x-request-id'));
      assert.deepEqual(
        [record.state, record.http_status, record.error_code, record.credits, record.route],
        ['failed', status, code, '0.000000', row.operation],
      );
    }
    const refused = await call(row, { stream, as: poor });
    assert.deepEqual(await toldOf(row, refused), row.refusal('insufficient_credits'));
    assert.equal((await recordOf(refused.headers.get('x-request-id'))).status, 404, 'it is not ours');
  }
});

test('a call that runs is told to run, and a call whose caller left to be canceled, at its price', async () => {
  for (const row of streamingRows) {
    const leave = new AbortController();
    const response = await call(row, { stream: true, longFor: 400, maxTokens: 3_900, signal: leave.signal });
    const id = response.headers.get('x-request-id');
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    // Until the model has said something nothing may have run yet.
    for (let text = ''; row.stream.said(text) === ''; ) text += (await reader?.read())?.value ?? assert.fail(text);
    const { state, finished_at: finished, route } = (await recordOf(id)).body;
    assert.deepEqual([state, finished, route], ['running', null, row.operation]);
    leave.abort();
    const record = await settledRecordOf(id);
    assert.deepEqual([record.state, record.http_status], ['canceled', null]);
    assert.notEqual(record.credits, '0.000000', row.name);
  }
});

test('a charge of which nobody heard is answered 424, told as it is, and not repeated by a client that tries again', async () => {
  for (const row of protocolRows) {
    const asked = { text: randomUUID() };
    failure.settlements = 'lost answer';
    const response = await call(row, asked);
    failure.settlements = 'none';
    const id = response.headers.get('x-request-id');
    assert.deepEqual(await toldOf(row, response), row.refusal('ambiguous_transport'), row.name);
    assert.deepEqual([response.headers.get('x-should-retry'), response.headers.get('retry-after')], ['false', null]);
    const record = await settledRecordOf(id, { withError: true });
    // It was charged, and that is what counts.
    assert.deepEqual([record.state, record.http_status, record.error_code], ['succeeded', 424, 'ambiguous_transport']);

    for (let tries = 0; tries < 3; tries++) {
      const again = await call(row, asked);
      assert.equal(again.headers.get('x-fnf-request-id'), id);
      assert.deepEqual(await toldOf(row, again), row.refusal('ambiguous_transport'));
    }
    const other = await call(row, { text: randomUUID() });
    assert.deepEqual(await toldOf(row, other), [200, null]);
    const meant = await call(row, { ...asked, key: randomUUID() });
    assert.equal(meant.status, 200, 'with a key of its own it is another call');
    await meant.text();
  }
});

test('a charge that was not made is unknown, and in a stream it ends as an error frame', async () => {
  for (const row of streamingRows) {
    const asked = { stream: true, text: randomUUID() };
    failure.settlements = 'lost statement';
    const response = await call(row, asked);
    const text = await response.text();
    failure.settlements = 'none';
    assert.equal(response.status, 200);
    assert.equal(row.errorIn(text), row.refusal('ambiguous_transport')[1]);
    assert.ok(!row.stream.isWhole(text), row.name);
    const record = await settledRecordOf(response.headers.get('x-request-id'));
    assert.deepEqual([record.state, record.http_status, record.credits], ['unknown', 200, '0.000000']);
    const again = await call(row, asked);
    assert.equal(again.status, 424);
    const repeated = await settledRecordOf(again.headers.get('x-request-id'));
    assert.deepEqual([repeated.state, repeated.http_status], ['failed', 424], 'this one was not run');
  }
});

test('a call with a key whose charge is unknown is answered when it is sent again, and paid once', async () => {
  for (const row of protocolRows)
    for (const kind of ['lost answer', 'lost statement'] as const) {
      const asked = { key: randomUUID(), text: randomUUID() };
      failure.settlements = kind;
      const first = await call(row, asked);
      assert.deepEqual(await toldOf(row, first), row.refusal('ambiguous_transport'));
      failure.settlements = 'none';
      const again = await call(row, asked);
      // What was charged is stored with its charge, and what was not is run anew.
      const ids = [first, again].map(({ headers }) => headers.get('x-request-id'));
      const replayed = again.headers.get('x-fnf-request-id');
      const paid = kind === 'lost answer' ? ids[0] : ids[1];
      assert.equal(again.status, 200, row.name);
      assert.equal(kind === 'lost answer' ? replayed : ids[1], paid);
      const rows = await pg.database.query<{ id: string }>(
        `select request_id as id from ledger where request_id = any($1) and type = 'inference'`,
        [ids],
      );
      assert.deepEqual(rows, [{ id: paid }], row.name);
      assert.equal((await recordOf(paid ?? null)).body.state, 'succeeded');
    }
});

test('calls are listed with what they were told, also those that never reached a model or a project', async () => {
  const tenant = await seedTenant(pg.database, app.models);
  const [row] = streamingRows;
  if (!row) return assert.fail('No protocol streams.');
  const asked = [{ stream: true }, { model: 'unknown' }, { extra: { temperature: 'warm', encoding_format: 'words' } }];
  for (const each of asked) await (await call(row, { ...each, as: tenant })).text();
  const nowhere = `${app.origin}/api/projects/${tenant.slug}/no-such-project/openai/v1/chat/completions`;
  await fetch(nowhere, {
    method: 'POST',
    headers: { ...bearer(tenant.key), 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'chat', messages: [] }),
  });
  type List = { data: (RecordWire & { project: object | null })[] };
  const read = async (): Promise<List> => {
    const response = await fetch(`${app.origin}/api/v1/requests`, { headers: bearer(tenant.key) });
    // as: a list of another shape fails in the assertions on it.
    return (await response.json()) as List;
  };
  let listed = await read();
  for (let tries = 0; listed.data.length < 4 && tries < 6_000; tries++) {
    await sleep(10);
    listed = await read();
  }
  assert.deepEqual(
    listed.data.map(({ state, error_code, key, error_message }) => [
      state,
      error_code,
      key?.id,
      error_message !== null,
    ]),
    [
      ['failed', 'project_not_found', tenant.keyId, true],
      ['failed', 'invalid_request', tenant.keyId, true],
      ['failed', 'model_not_found', tenant.keyId, true],
      ['succeeded', null, tenant.keyId, false],
    ],
  );
  const answered = listed.data[3];
  assert.ok(answered && answered.first_token_ms !== null && answered.total_ms !== null);
  assert.ok(answered.first_token_ms <= answered.total_ms && Number(answered.credits) > 0);
});
