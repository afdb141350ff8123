import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { issueKey } from '#keys';
import { bearer, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { changeLimits, refuseLimitedKey } from './limits.ts';

await awayFromMidnight();

/** Limits as they are set over HTTP. */
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

type Sent = { method?: string; body?: unknown };

async function send(key: string, path: string, { method = 'GET', body }: Sent = {}) {
  const response = await fetch(app.origin + path, {
    method,
    headers: {
      ...bearer(key),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? null : JSON.parse(text) };
}

/** A tenant with a second key, which the tests limit. */
async function seed(): Promise<Tenant & { limitedKey: string; path: string }> {
  const ada = await seedTenant(pg.database, app.models);
  const { key: limitedKey, keyId } = await seedKey(pg.database, { accountId: ada.accountId });
  return { ...ada, limitedKey, path: `/api/v1/keys/${keyId}/limits` };
}

const none = { requests_per_minute: null, concurrent_requests: null, credits_per_day: null };
const unused = { requests: 0, minute_ends_at: null, running: 0, credits_today: '0.000000' };

test('a key has no limits until some are set, a change names what it changes, and null lifts it', async () => {
  const { key, path } = await seed();
  assert.deepEqual((await send(key, path)).body, { ...none, used: unused });
  const change = async (body: object) => {
    const { status, body: answer } = await send(key, path, { method: 'PATCH', body });
    assert.equal(status, 200);
    const { used: _, ...limits } = answer;
    return limits;
  };
  assert.deepEqual(await change({ requests_per_minute: 60, credits_per_day: '5' }), {
    ...none,
    requests_per_minute: 60,
    credits_per_day: '5.000000',
  });
  assert.deepEqual(await change({ concurrent_requests: 2 }), {
    requests_per_minute: 60,
    concurrent_requests: 2,
    credits_per_day: '5.000000',
  });
  assert.deepEqual(await change({ requests_per_minute: null, credits_per_day: null }), {
    ...none,
    concurrent_requests: 2,
  });
  assert.deepEqual((await send(key, '/api/v1/me/limits')).body, {
    ...none,
    operator: { ...none, storage_bytes: null },
    used: { ...unused, storage_bytes: 0 },
  });
});

test('what cannot be a limit is refused by name', async () => {
  const { key, path } = await seed();
  for (const [body, status, param] of [
    [{ requests_per_minute: 0 }, 400, 'requests_per_minute'],
    [{ requests_per_minute: 1.5 }, 422, 'requests_per_minute'],
    [{ concurrent_requests: 10_001 }, 400, 'concurrent_requests'],
    [{ credits_per_day: '-1' }, 400, 'credits_per_day'],
    [{ credits_per_day: '1.1234567' }, 400, 'credits_per_day'],
    [{ credits_per_day: '1e2' }, 400, 'credits_per_day'],
    [{ credits_per_day: 5 }, 422, 'credits_per_day'],
  ] as const)
    for (const at of [path, '/api/v1/me/limits']) {
      const answer = await send(key, at, { method: 'PATCH', body });
      assert.deepEqual([answer.status, answer.body.error.param], [status, param], JSON.stringify(body));
    }
  const { body } = await send(key, path, { method: 'PATCH', body: { credits_per_day: '1e2' } });
  assert.match(
    body.error.message,
    /^credits_per_day: must be a number of credits with at most six decimals, for example/,
  );
});

test('a change is told once in the feed, and a change that changes nothing is not', async () => {
  const { key, path } = await seed();
  for (let n = 0; n < 2; n++)
    await send(key, path, { method: 'PATCH', body: { requests_per_minute: 60, credits_per_day: '0.5' } });
  await send(key, '/api/v1/me/limits', { method: 'PATCH', body: { concurrent_requests: 9 } });
  const { body } = await send(key, '/api/v1/activity?type=limits.changed');
  const [ofAccount, ofKey, ...more] = body.data;
  assert.equal(more.length, 0);
  assert.deepEqual(
    [ofAccount.subject.kind, ofKey.subject.kind, ofKey.subject.href, ofKey.data],
    ['account', 'key', '/keys', { ...none, requests_per_minute: 60, credits_per_day: '0.500000' }],
  );
});

test('a key with limits changes none, and makes no keys', async () => {
  const ada = await seed();
  await send(ada.key, ada.path, { method: 'PATCH', body: { requests_per_minute: 1000, credits_per_day: '0' } });
  for (const path of [ada.path, '/api/v1/me/limits']) {
    const { status, body } = await send(ada.limitedKey, path, { method: 'PATCH', body: { credits_per_day: null } });
    assert.deepEqual([status, body.error.code], [403, 'forbidden']);
    assert.equal((await send(ada.limitedKey, path)).status, 200);
  }
  const made = await send(ada.limitedKey, '/api/v1/keys', { method: 'POST', body: { name: 'another' } });
  assert.deepEqual([made.status, made.body.error.code], [403, 'forbidden']);
  const free = await send(ada.key, '/api/v1/keys', { method: 'POST', body: { name: 'free' } });
  assert.deepEqual((await send(ada.key, `/api/v1/keys/${free.body.id}/limits`)).body, { ...none, used: unused });
});

test('a key whose limits come while it changes limits changes none, and one that is gone makes no key without them', async () => {
  const ada = await seed();
  const keyId = ada.path.split('/')[4] ?? '';
  const isWaiting = async () => {
    const rows = await pg.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
          and query like '%from api_keys%for no key update%'`,
    );
    return rows.length > 0;
  };
  const change = { method: 'PATCH', body: { requests_per_minute: null } };
  const sent = await pg.database.transaction(async (tx) => {
    await tx.query('update api_keys set requests_per_minute = 1 where id = $1', [keyId]);
    const answer = send(ada.limitedKey, ada.path, change);
    while (!(await isWaiting())) await sleep(10);
    return { answer };
  });
  assert.equal((await sent.answer).status, 403);
  assert.equal((await send(ada.key, ada.path)).body.requests_per_minute, 1);

  const { accountId } = ada;
  const callerKeyId = keyId;
  const isDead = { fault: 'invalid_credentials' };
  for (const [method, verb] of [
    ['PATCH', '/deactivate'],
    ['DELETE', ''],
  ] as const) {
    assert.ok((await send(ada.key, `/api/v1/keys/${keyId}${verb}`, { method })).status < 300);
    await assert.rejects(
      pg.database.transaction((tx) => issueKey(tx, { accountId, callerKeyId })),
      isDead,
    );
  }
  const address = { scope: 'account', id: accountId, accountId } as const;
  await assert.rejects(changeLimits(pg.database, address, { wanted: { requestsPerMinute: 5 }, keyId }), isDead);
  await assert.rejects(refuseLimitedKey(pg.database, { keyId, accountId }), isDead);
});
