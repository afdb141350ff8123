import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { changeLimits, viewLimits } from '#limits';
import { bearer, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { callModel, type ProtocolRow, protocolRows } from '#test/protocols.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { issueKey } from './keys.ts';

await awayFromMidnight();

/** Keys that are made with limits, and shown with them, by the wired program. */
let pg: TestDatabase;
let app: TestApp;

before(async () => {
  pg = await createTestDatabase();
  app = await startApp(pg.database);
});

after(async () => {
  await app?.stop();
  await pg?.drop();
});

type Sent = { method?: string; body?: unknown; headers?: Record<string, string> };

async function send(key: string, path: string, { method = 'GET', body, headers = {} }: Sent = {}) {
  const response = await fetch(`${app.origin}/api${path}`, {
    method,
    headers: { ...bearer(key), ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const seed = () => seedTenant(pg.database, app.models);

const make = (key: string, body: unknown, headers = {}) => send(key, '/v1/keys', { method: 'POST', body, headers });

async function statusOf(ada: Tenant, key: string, row: ProtocolRow): Promise<number> {
  const response = await callModel(row, { origin: app.origin, owner: ada.slug, key });
  await response.text();
  return response.status;
}

const countKeys = async (key: string) => (await send(key, '/v1/keys')).body.total_count;

const wanted = { requests_per_minute: 1, credits_per_day: '0.5' };
const unused = { requests: 0, minute_ends_at: null, running: 0, credits_today: '0.000000' };
const limits = { requests_per_minute: 1, concurrent_requests: null, credits_per_day: '0.500000', used: unused };

test('a key is made together with its limits: they are in every record of it, and bind it from its first call on', async () => {
  const ada = await seed();
  const made = await make(ada.key, { name: 'narrow', limits: wanted });
  assert.deepEqual([made.status, made.body.limits], [201, limits]);
  const { key, ...row } = made.body;
  assert.deepEqual((await send(ada.key, '/v1/keys')).body.data[0], row);
  assert.deepEqual((await send(ada.key, `/v1/keys/${row.id}/limits`)).body, limits);
  for (const verb of ['deactivate', 'activate'])
    assert.deepEqual(
      (await send(ada.key, `/v1/keys/${row.id}/${verb}`, { method: 'PATCH' })).body.limits,
      limits,
      verb,
    );
  const [first = assert.fail(), ...others] = protocolRows;
  assert.equal(await statusOf(ada, key, first), 200);
  for (const row of [...others, first]) assert.equal(await statusOf(ada, key, row), 429, row.name);
});

test('each protocol lets a key make the calls that its limits allow, and no more', async () => {
  for (const row of protocolRows) {
    const ada = await seed();
    const { key } = (await make(ada.key, { limits: wanted })).body;
    assert.deepEqual([await statusOf(ada, key, row), await statusOf(ada, key, row)], [200, 429], row.name);
  }
});

test('a key that is asked for without limits has none, and says so', async () => {
  const { key } = await seed();
  for (const body of [{}, { limits: {} }, { limits: { requests_per_minute: null } }]) {
    const made = await make(key, body);
    assert.deepEqual([made.status, made.body.limits], [201, null], JSON.stringify(body));
  }
});

test('what cannot be a limit of a new key is refused by name, and no key is made', async () => {
  const { key } = await seed();
  const before = await countKeys(key);
  for (const [body, status, param] of [
    [{ requests_per_minute: 0 }, 400, 'limits.requests_per_minute'],
    [{ requests_per_minute: '60' }, 422, 'limits.requests_per_minute'],
    [{ concurrent_requests: 10_001 }, 400, 'limits.concurrent_requests'],
    [{ credits_per_day: '-1' }, 400, 'limits.credits_per_day'],
    [{ credits_per_day: 5 }, 422, 'limits.credits_per_day'],
    [null, 422, 'limits'],
  ] as const) {
    const answer = await make(key, { limits: body });
    assert.deepEqual([answer.status, answer.body.error.param], [status, param], JSON.stringify(body));
  }
  assert.equal(await countKeys(key), before);
});

test('a key with limits makes no keys, whatever limits they would have', async () => {
  const ada = await seed();
  const { body: narrow } = await make(ada.key, { limits: wanted });
  const before = await countKeys(ada.key);
  for (const limits of [
    { requests_per_minute: null },
    { requests_per_minute: 5 },
    { concurrent_requests: 1 },
    {},
    undefined,
  ]) {
    const { status, body } = await make(narrow.key, { limits });
    assert.deepEqual([status, body.error.code], [403, 'forbidden'], JSON.stringify(limits));
  }
  assert.equal(await countKeys(ada.key), before);
});

test('a key with limits changes no other key, and may give up itself', async () => {
  const ada = await seed();
  const { body: narrow } = await make(ada.key, { limits: wanted });
  const { body: other } = await make(ada.key, {});
  const change = (key: string, id: string, verb: string) =>
    send(key, `/v1/keys/${id}${verb}`, { method: verb === '' ? 'DELETE' : 'PATCH' });
  for (const verb of ['/deactivate', '/activate', '']) {
    const { status, body } = await change(narrow.key, other.id, verb);
    assert.deepEqual([status, body.error.code], [403, 'forbidden'], verb);
  }
  assert.equal((await send(other.key, '/v1/keys')).status, 200);
  assert.equal((await change(narrow.key, narrow.id, '/deactivate')).status, 200);
  assert.equal((await send(narrow.key, '/v1/keys')).status, 401);
  const { body: brief } = await make(ada.key, { limits: wanted });
  const gone = await fetch(`${app.origin}/api/v1/keys/${brief.id}`, { method: 'DELETE', headers: bearer(brief.key) });
  assert.equal(gone.status, 204);
  assert.equal((await send(brief.key, '/v1/keys')).status, 401);
});

test('a key that cannot be given its limits is not made', async () => {
  const ada = await seed();
  const before = await countKeys(ada.key);
  const failing = (tx: Sql): Sql => ({
    query: async (text, ...rest) => {
      if (text.includes('update api_keys')) throw new Error('no room');
      return tx.query(text, ...rest);
    },
  });
  const wish = { accountId: ada.accountId, limits: { requestsPerMinute: 1 } };
  await assert.rejects(
    pg.database.transaction((tx) => issueKey(failing(tx), wish)),
    /no room/,
  );
  assert.equal(await countKeys(ada.key), before);
});

test('a key that is asked for twice under one Idempotency-Key is made once, with its limits, and told once', async () => {
  const { key } = await seed();
  const once = { 'idempotency-key': 'narrow-1' };
  const [first, second] = [await make(key, { limits: wanted }, once), await make(key, { limits: wanted }, once)];
  assert.deepEqual(second.body, first.body);
  assert.deepEqual(first.body.limits, limits);
  const { data } = (await send(key, '/v1/activity')).body;
  const told = data.filter(({ subject }: { subject: { id: string } }) => subject.id === first.body.id);
  assert.deepEqual(
    told.map(({ type }: { type: string }) => type),
    ['limits.changed', 'key.created'],
  );
  assert.deepEqual(told[0].data, { requests_per_minute: 1, concurrent_requests: null, credits_per_day: '0.500000' });
  assert.equal(told[0].request_id, told[1].request_id);
});

test('the list tells of every key its own limits and what is used of them, with one statement for all', async () => {
  const ada = await seed();
  const { body: busy } = await make(ada.key, { limits: { requests_per_minute: 10, credits_per_day: '5' } });
  const { body: idle } = await make(ada.key, { limits: { concurrent_requests: 2 } });
  for (const row of protocolRows) assert.equal(await statusOf(ada, busy.key, row), 200, row.name);
  const { data } = (await send(ada.key, '/v1/keys')).body;
  const rows = new Map<string, { limits: unknown }>(data.map((row: { id: string }) => [row.id, row]));
  for (const { id } of [busy, idle])
    assert.deepEqual(rows.get(id)?.limits, (await send(ada.key, `/v1/keys/${id}/limits`)).body);
  assert.partialDeepStrictEqual(rows.get(busy.id), { limits: { used: { requests: protocolRows.length, running: 0 } } });
  assert.equal([...rows.values()].filter(({ limits }) => limits === null).length, rows.size - 2);

  const statements: string[] = [];
  const counting: Sql = {
    query: (text, ...rest) => {
      statements.push(text);
      return pg.database.query(text, ...rest);
    },
  };
  const none = { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null };
  const keys = data.map(({ id }: { id: string }) => ({ id, limits: { ...none, requestsPerMinute: 1 } }));
  assert.equal((await viewLimits(counting, keys)).size, keys.length);
  assert.equal(statements.length, 1);
  await viewLimits(counting, [{ id: idle.id, limits: none }]);
  assert.equal(statements.length, 1, 'keys without limits cost nothing');
});

test("limits of another account's keys are in nobody else's list", async () => {
  const [ada, bob] = [await seed(), await seed()];
  const { keyId: id } = await seedKey(pg.database, { accountId: bob.accountId });
  await changeLimits(pg.database, { scope: 'key', id, accountId: bob.accountId }, { wanted: { requestsPerMinute: 3 } });
  const limitsIn = async (key: string) =>
    (await send(key, '/v1/keys')).body.data.filter((row: { limits: unknown }) => row.limits !== null).length;
  assert.deepEqual([await limitsIn(ada.key), await limitsIn(bob.key)], [0, 1]);
});
