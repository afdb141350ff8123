import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatCredits } from '#kernel';
import { bearer, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { type Asked, callModel, inTurn, type ProtocolRow, protocolRows, streamingRows } from '#test/protocols.ts';
import { seedTenant, type Tenant } from '#test/tenants.ts';
import { changeLimits } from './limits.ts';

await awayFromMidnight();

/** Limits as callers feel them, in every protocol, on two wired programs with one database. */
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

async function send(key: string, path: string, body?: object) {
  const response = await fetch(apps[0].origin + path, {
    headers: { ...bearer(key), 'content-type': 'application/json' },
    ...(body ? { method: 'PATCH', body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(180_000),
  });
  assert.equal(response.status, 200);
  return JSON.parse(await response.text());
}

/** A tenant with a second key, which the tests limit. */
async function seed() {
  const ada = await seedTenant(pg.database, apps[0].models);
  const { key: limitedKey, keyId } = await seedKey(pg.database, { accountId: ada.accountId });
  const path = `/api/v1/keys/${keyId}/limits`;
  return {
    ...ada,
    limitedKey,
    limit: (body: object) => send(ada.key, path, body),
    used: async () => (await send(ada.key, path)).used,
    limitAccount: (body: object) => send(ada.key, '/api/v1/me/limits', body),
  };
}

type Answer = { row: ProtocolRow; status: number; headers: Headers; text: string };

/** Calls a model through one of the two programs. */
async function call(
  ada: Tenant,
  key: string,
  { row = rowOf(0), via = 0, ...asked }: Asked & { row?: ProtocolRow; via?: number } = {},
): Promise<Answer> {
  const { origin } = apps[via] ?? apps[0];
  const response = await callModel(row, { origin, owner: ada.slug, key }, asked);
  return { row, status: response.status, headers: response.headers, text: await response.text() };
}

/** The protocols in turn: what is limited is the caller, whatever he speaks. */
const rowOf = (n: number) => inTurn(protocolRows, n);

function assertLimited({ row, status, text }: Answer, words: RegExp): void {
  assert.deepEqual([status, row.errorIn(text)], row.refusal('rate_limited'), row.name);
  assert.match(JSON.parse(text).error.message, words);
}

test('a minute is shared by both programs: exactly as many calls pass, each told what is left', async () => {
  const ada = await seed();
  await ada.limit({ requests_per_minute: 3 });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => call(ada, ada.limitedKey, { row: rowOf(n), via: n % 2 })),
  );
  const passed = answers.filter(({ status }) => status === 200);
  assert.equal(passed.length, 3);
  const left = (headers: Headers) => headers.get('ratelimit-remaining');
  assert.deepEqual(passed.map(({ headers }) => left(headers)).sort(), ['0', '1', '2']);
  for (const answer of answers.filter(({ status }) => status !== 200)) {
    assertLimited(answer, /^This key's limit of requests a minute is 3\./);
    const { headers } = answer;
    assert.deepEqual([left(headers), headers.get('ratelimit-limit')], ['0', '3']);
    const wait = Number(headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 59, String(wait));
    assert.ok(Math.abs(Number(headers.get('ratelimit-reset')) - wait) <= 1);
  }
  assert.equal((await call(ada, ada.key)).status, 200, 'another key of the account has no such limit');
  const used = await ada.used();
  assert.deepEqual([used.requests, used.running], [3, 0]);
  assert.equal((await call(ada, ada.key)).headers.get('ratelimit-limit'), null);
});

test('a call ends before its answer does: one at a time is enough for a caller who waits', async () => {
  const ada = await seed();
  await ada.limit({ concurrent_requests: 1 });
  for (let n = 0; n < 2 * protocolRows.length; n++) {
    const asked = { row: rowOf(n), via: n % 3 === 0 ? 1 : 0, stream: rowOf(n).stream !== null && n % 2 === 0 };
    const { status, headers } = await call(ada, ada.limitedKey, asked);
    assert.deepEqual([status, headers.get('ratelimit-limit')], [200, '1'], asked.row.name);
  }
  await Promise.all(
    streamingRows.map(async (row) => {
      const bob = await seed();
      await bob.limit({ concurrent_requests: 1 });
      const running = async () => (await bob.used()).running;
      const long = call(bob, bob.limitedKey, { row, stream: true, longFor: 150, maxTokens: 3_900 });
      for (let tries = 0; (await running()) === 0 && tries < 6_000; tries++) await sleep(5);
      const refused = await call(bob, bob.limitedKey, { row, via: 1 });
      assertLimited(refused, /^This key's limit of running requests is 1\./);
      assert.equal(refused.headers.get('retry-after'), '1');
      assert.equal((await long).status, 200);
      assert.equal(await running(), 0);
    }),
  );
});

test('a call that fails no longer runs, and a refused one is not charged or sent to a model', async () => {
  const ada = await seed();
  await ada.limit({ concurrent_requests: 1, credits_per_day: '0' });
  const everywhere = async (asked: Asked, status: number) => {
    for (const row of protocolRows)
      assert.equal((await call(ada, ada.limitedKey, { row, ...asked })).status, status, row.name);
  };
  await everywhere({}, 429);
  await ada.limit({ credits_per_day: null });
  await everywhere({ text: 'lamp '.repeat(20_000) }, 400);
  for (let n = 0; n < 3; n++)
    assert.equal((await call(ada, ada.limitedKey, { maxTokens: 100_000 })).status, 400, 'more than the context');
  await everywhere({}, 200);
  const rows = await pg.database.query("select from ledger where type = 'inference' and account_id = $1", [
    ada.accountId,
  ]);
  assert.equal(rows.length, protocolRows.length);
});

test('the account spends no more in a day than it set, by whatever key', async () => {
  const ada = await seed();
  await ada.limitAccount({ credits_per_day: '0.5' });
  for (const [n, row] of protocolRows.entries())
    assert.equal((await call(ada, n % 2 === 0 ? ada.key : ada.limitedKey, { row, via: n % 2 })).status, 200);
  const [row] = await pg.database.query<{ spent: bigint }>(
    "select -sum(micro)::bigint as spent from ledger where type = 'inference' and account_id = $1",
    [ada.accountId],
  );
  const spent = formatCredits(row?.spent ?? 0n);
  assert.equal((await send(ada.key, '/api/v1/me/limits')).used.credits_today, spent);
  // All but one unit of the day is spent: whatever a call could cost, it is more.
  await pg.database.query('update limit_counters set day_micro = 499950 where subject = $1', [ada.accountId]);
  for (const [n, row] of protocolRows.entries()) {
    const answer = await call(ada, n % 2 === 0 ? ada.key : ada.limitedKey, { row });
    assertLimited(answer, /^This account's limit of credits a day \(UTC\) is 0\.500000\. 0\.499950 are spent/);
    const { headers } = answer;
    assert.deepEqual([headers.get('retry-after'), headers.get('ratelimit-limit')], ['59', '0'], row.name);
  }
});

test('of the limits that the account and the operator set the lower one holds, and neither changes the other', async () => {
  const ada = await seed();
  const { accountId } = ada;
  const byOperator = (wanted: Parameters<typeof changeLimits>[2]['wanted']) =>
    changeLimits(pg.database, { scope: 'operator', id: accountId, accountId }, { wanted });
  await byOperator({ requestsPerMinute: 500, creditsPerDayMicro: 0n });
  assert.deepEqual(await ada.limitAccount({ requests_per_minute: 700, credits_per_day: '9' }), {
    requests_per_minute: 700,
    concurrent_requests: null,
    credits_per_day: '9.000000',
    operator: { requests_per_minute: 500, concurrent_requests: null, credits_per_day: '0.000000', storage_bytes: null },
    used: { requests: 0, minute_ends_at: null, running: 0, credits_today: '0.000000', storage_bytes: 0 },
  });
  for (const key of [ada.key, ada.limitedKey])
    for (const via of [0, 1])
      for (const row of protocolRows) assert.equal((await call(ada, key, { row, via })).status, 429, row.name);
  await ada.limitAccount({ requests_per_minute: null, credits_per_day: null });
  assert.equal((await call(ada, ada.key)).status, 429, 'what the account lifts is its own limit only');
  await byOperator({ creditsPerDayMicro: null });
  const { status, headers } = await call(ada, ada.key);
  assert.deepEqual([status, headers.get('ratelimit-limit')], [200, '500']);
  await ada.limitAccount({ requests_per_minute: 3 });
  await byOperator({ requestsPerMinute: null });
  assert.equal((await call(ada, ada.key)).headers.get('ratelimit-limit'), '3');
});

test('a limit holds from the next call on, and so does its end', async () => {
  const ada = await seed();
  assert.equal((await call(ada, ada.limitedKey)).status, 200);
  for (const [credits, status] of [
    ['0', 429],
    [null, 200],
    ['0', 429],
  ] as const) {
    await ada.limit({ credits_per_day: credits });
    for (const via of [0, 1])
      for (const row of protocolRows)
        assert.equal((await call(ada, ada.limitedKey, { row, via })).status, status, row.name);
  }
});
