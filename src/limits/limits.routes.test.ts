import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCredits } from '#kernel';
import { issueKey } from '#keys';
import { bearer, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { longestAnswer } from '#test/long-answer.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { changeLimits, refuseLimitedKey } from './limits.ts';

await awayFromMidnight();

/** Limits as they are set and felt over HTTP, on two wired programs with one database. */
let pg: TestDatabase;
let apps: [TestApp, TestApp];

before(async () => {
  pg = await createTestDatabase();
  apps = [await startApp(pg.database), await startApp(pg.database)];
});

after(async () => {
  await Promise.all((apps ?? []).map((app) => app.stop()));
  await pg?.drop();
});

type Sent = { method?: string; body?: unknown; via?: number; idempotencyKey?: string };

async function send(key: string, path: string, { method = 'GET', body, via = 0, idempotencyKey }: Sent = {}) {
  const response = await fetch((apps[via] ?? apps[0]).origin + path, {
    method,
    headers: {
      ...bearer(key),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? null : parse(text) };
}

function parse(text: string) {
  return text.startsWith('data:') ? null : JSON.parse(text);
}

/** A tenant with a second key, which the tests limit. */
async function seed(): Promise<Tenant & { limitedKey: string; path: string }> {
  const ada = await seedTenant(pg.database, apps[0].models);
  const { key: limitedKey, keyId } = await seedKey(pg.database, { accountId: ada.accountId });
  return { ...ada, limitedKey, path: `/api/v1/keys/${keyId}/limits` };
}

const chat = (ada: Tenant, key: string, { via = 0, ...extra }: Record<string, unknown> & { via?: number } = {}) =>
  send(key, `/api/projects/${ada.slug}/chat/openai/v1/chat/completions`, {
    method: 'POST',
    via,
    body: {
      model: 'chat',
      messages: [{ role: 'user', content: 'Hello!' }],
      max_tokens: 2,
      reasoning_effort: 'none',
      ...extra,
    },
  });

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

test('a minute is shared by both programs: exactly as many calls pass, each told what is left', async () => {
  const ada = await seed();
  await send(ada.key, ada.path, { method: 'PATCH', body: { requests_per_minute: 3 } });
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => chat(ada, ada.limitedKey, { via: n % 2 })));
  const passed = answers.filter(({ status }) => status === 200);
  assert.equal(passed.length, 3);
  const left = (headers: Headers) => headers.get('ratelimit-remaining');
  assert.deepEqual(passed.map(({ headers }) => left(headers)).sort(), ['0', '1', '2']);
  for (const { status, headers, body } of answers.filter(({ status }) => status !== 200)) {
    assert.deepEqual([status, body.error.code, left(headers)], [429, 'rate_limited', '0']);
    assert.equal(headers.get('ratelimit-limit'), '3');
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 59, String(wait));
    assert.ok(Math.abs(Number(headers.get('ratelimit-reset')) - wait) <= 1);
  }
  assert.equal((await chat(ada, ada.key)).status, 200, 'another key of the account has no such limit');
  const { used } = (await send(ada.key, ada.path)).body;
  assert.deepEqual([used.requests, used.running], [3, 0]);
  assert.equal((await chat(ada, ada.key)).headers.get('ratelimit-limit'), null);
});

test('a call ends before its answer does: one at a time is enough for a caller who waits', async () => {
  const ada = await seed();
  await send(ada.key, ada.path, { method: 'PATCH', body: { concurrent_requests: 1 } });
  for (let n = 0; n < 10; n++) {
    const { status, headers } = await chat(ada, ada.limitedKey, { via: n % 2, stream: n % 3 === 0 });
    assert.deepEqual([status, headers.get('ratelimit-limit')], [200, '1']);
  }
  const long = chat(ada, ada.limitedKey, { ...longestAnswer });
  const running = async () => (await send(ada.key, ada.path)).body.used.running;
  for (let tries = 0; (await running()) === 0 && tries < 6_000; tries++) await sleep(5);
  const refused = await chat(ada, ada.limitedKey, { via: 1 });
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1']);
  assert.match(refused.body.error.message, /^This key's limit of running requests is 1\./);
  assert.equal((await long).status, 200);
  assert.equal(await running(), 0);
});

test('a call that fails no longer runs, and a refused one is not charged or sent to a model', async () => {
  const ada = await seed();
  await send(ada.key, ada.path, { method: 'PATCH', body: { concurrent_requests: 1, credits_per_day: '0' } });
  for (let n = 0; n < 3; n++) assert.equal((await chat(ada, ada.limitedKey)).status, 429);
  await send(ada.key, ada.path, { method: 'PATCH', body: { credits_per_day: null } });
  for (let n = 0; n < 3; n++) assert.equal((await chat(ada, ada.limitedKey, { max_tokens: 100_000 })).status, 400);
  assert.equal((await chat(ada, ada.limitedKey)).status, 200);
  const rows = await pg.database.query("select from ledger where type = 'inference' and account_id = $1", [
    ada.accountId,
  ]);
  assert.equal(rows.length, 1);
});

test('the account spends no more in a day than it set, by whatever key', async () => {
  const ada = await seed();
  await send(ada.key, '/api/v1/me/limits', { method: 'PATCH', body: { credits_per_day: '0.5' } });
  for (let n = 0; n < 4; n++)
    assert.equal((await chat(ada, n % 2 === 0 ? ada.key : ada.limitedKey, { via: n % 2 })).status, 200);
  const [row] = await pg.database.query<{ spent: bigint }>(
    "select -sum(micro)::bigint as spent from ledger where type = 'inference' and account_id = $1",
    [ada.accountId],
  );
  const spent = formatCredits(row?.spent ?? 0n);
  assert.equal((await send(ada.key, '/api/v1/me/limits')).body.used.credits_today, spent);
  // All but one unit of the day is spent: whatever a call could cost, it is more.
  await pg.database.query('update limit_counters set day_micro = 499950 where subject = $1', [ada.accountId]);
  for (const key of [ada.key, ada.limitedKey]) {
    const { status, headers, body } = await chat(ada, key);
    assert.deepEqual([status, headers.get('retry-after'), headers.get('ratelimit-limit')], [429, '59', '0']);
    assert.match(
      body.error.message,
      /^This account's limit of credits a day \(UTC\) is 0\.500000\. 0\.499950 are spent/,
    );
  }
});

test('of the limits that the account and the operator set the lower one holds, and neither changes the other', async () => {
  const ada = await seed();
  const { accountId } = ada;
  const byOperator = (wanted: Parameters<typeof changeLimits>[2]['wanted']) =>
    changeLimits(pg.database, { scope: 'operator', id: accountId, accountId }, { wanted });
  const bySelf = (body: object) => send(ada.key, '/api/v1/me/limits', { method: 'PATCH', body });
  await byOperator({ requestsPerMinute: 500, creditsPerDayMicro: 0n });
  const { body } = await bySelf({ requests_per_minute: 700, credits_per_day: '9' });
  assert.deepEqual(body, {
    ...{ ...none, requests_per_minute: 700, credits_per_day: '9.000000' },
    operator: { ...none, requests_per_minute: 500, credits_per_day: '0.000000', storage_bytes: null },
    used: { ...unused, storage_bytes: 0 },
  });
  for (const key of [ada.key, ada.limitedKey])
    for (const via of [0, 1]) assert.equal((await chat(ada, key, { via })).status, 429);
  await bySelf({ requests_per_minute: null, credits_per_day: null });
  assert.equal((await chat(ada, ada.key)).status, 429, 'what the account lifts is its own limit only');
  await byOperator({ creditsPerDayMicro: null });
  const { status, headers } = await chat(ada, ada.key);
  assert.deepEqual([status, headers.get('ratelimit-limit')], [200, '500']);
  await bySelf({ requests_per_minute: 3 });
  await byOperator({ requestsPerMinute: null });
  assert.equal((await chat(ada, ada.key)).headers.get('ratelimit-limit'), '3');
});

test('a limit holds from the next call on, and so does its end', async () => {
  const ada = await seed();
  assert.equal((await chat(ada, ada.limitedKey)).status, 200);
  for (const [credits, status] of [
    ['0', 429],
    [null, 200],
    ['0', 429],
  ] as const) {
    await send(ada.key, ada.path, { method: 'PATCH', body: { credits_per_day: credits } });
    for (const via of [0, 1]) assert.equal((await chat(ada, ada.limitedKey, { via })).status, status);
  }
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
