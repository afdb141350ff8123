import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase, type Sql } from '#db';
import { Fault, fault } from '#kernel';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type SignedIn, seedSession } from '#test/sessions.ts';
import { createSessionCookie } from './session-token.ts';
import { createSessionAuthenticator } from './sessions.ts';

let db: TestDatabase;
let apps: [TestApp, TestApp];

before(async () => {
  db = await createTestDatabase();
  const other = await openDatabase({ url: db.url, maxConnections: 4 });
  const second = await startApp(other);
  const stopSecond = second.stop;
  second.stop = async () => {
    await stopSecond();
    await other.close();
  };
  apps = [await startApp(db.database), second];
});

after(async () => {
  for (const app of apps ?? []) await app.stop();
  await db?.drop();
});

async function newAccount() {
  const account = await seedAccount(db.database);
  return {
    ...account,
    laptop: await seedSession(db.database, account),
    phone: await seedSession(db.database, account),
  };
}

type Asked = { method?: string; path: string; headers: Record<string, string>; body?: unknown; app?: TestApp };
type Answer = {
  status: number;
  code: string | null;
  param: string | null;
  cookies: string[];
  body: Record<string, unknown>;
};

async function ask({ method = 'GET', path, headers, body, app = apps[0] }: Asked): Promise<Answer> {
  const response = await fetch(`${app.origin}/api/v1/${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  const answer = text === '' ? {} : JSON.parse(text);
  const { code = null, param = null } = answer.error ?? {};
  return { status: response.status, code, param, cookies: response.headers.getSetCookie(), body: answer };
}

const me = (session: Pick<SignedIn, 'cookie'>, app?: TestApp) =>
  ask({ path: 'me', headers: { cookie: session.cookie }, ...(app ? { app } : {}) }).then(({ status }) => status);

test('a session works where a key does, and shows its token against forged requests', async () => {
  const { laptop, accountId } = await newAccount();
  const shown = await ask({ path: 'auth/session', headers: { cookie: laptop.cookie } });
  assert.equal(shown.status, 200);
  assert.equal(shown.body['csrf_token'], laptop.csrf);
  const made = await ask({ method: 'POST', path: 'keys', headers: laptop.headers, body: { name: 'made by hand' } });
  assert.equal(made.status, 201);
  const listed = await ask({ path: 'keys', headers: { cookie: laptop.cookie } });
  assert.equal(listed.body['total_count'], 1);
  const [told] = await db.database.query<{ actor_kind: string; actor_id: string }>(
    "select actor_kind, actor_id from activity where account_id = $1 and type = 'key.created'",
    [accountId],
  );
  assert.deepEqual({ ...told }, { actor_kind: 'account', actor_id: accountId });
});

test('a change by a session needs its own token, and a page of this site', async () => {
  const { laptop, phone } = await newAccount();
  const foreign = (await newAccount()).laptop;
  const attempt = (headers: Record<string, string>) =>
    ask({
      method: 'PATCH',
      path: 'me/profile',
      headers: { cookie: laptop.cookie, ...headers },
      body: { display_name: 'X' },
    });
  for (const csrf of [undefined, '', 'x', phone.csrf, foreign.csrf, laptop.csrf.slice(1), `${laptop.csrf}=`]) {
    const { status, code, param } = await attempt(csrf === undefined ? {} : { 'x-fnf-csrf': csrf });
    assert.deepEqual([status, code, param], [403, 'forbidden', 'x-fnf-csrf'], String(csrf));
  }
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'same-site' }]) {
    const { status, param } = await attempt({ 'x-fnf-csrf': laptop.csrf, ...headers });
    assert.deepEqual([status, param], [403, 'origin']);
  }
  assert.equal((await attempt({ 'x-fnf-csrf': laptop.csrf, origin: apps[0].origin })).status, 200);
});

test('with a key and a session the key counts, also when it is worth nothing', async () => {
  const { laptop, accountId } = await newAccount();
  const other = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, other);
  const both = await ask({ path: 'me', headers: { cookie: laptop.cookie, ...bearer(key) } });
  assert.deepEqual(
    [both.body['id'], both.body['auth']],
    [
      other.accountId,
      { method: 'api_key', key_id: keyId, identity_provider: 'local', has_password: false, session_expires_at: null },
    ],
  );
  assert.notEqual(accountId, other.accountId);
  assert.equal((await ask({ path: 'me', headers: { cookie: laptop.cookie, ...bearer('fnf_nonsense') } })).status, 401);
  const change = { method: 'POST', path: 'keys', body: {}, headers: { cookie: laptop.cookie, ...bearer(key) } };
  assert.equal((await ask(change)).status, 201, 'a key needs no token against forged requests');
});

test('what only a person may do is refused to keys', async () => {
  const { key } = await seedKey(db.database, await seedAccount(db.database));
  for (const [method, path] of [
    ['GET', 'auth/session'],
    ['POST', 'auth/sign-out'],
    ['POST', 'auth/sign-out/everywhere'],
    ['POST', 'me/password'],
  ] as const) {
    const { status, code } = await ask({
      method,
      path,
      headers: bearer(key),
      ...(method === 'POST' ? { body: {} } : {}),
    });
    assert.deepEqual([status, code], [403, 'session_required'], path);
  }
});

test('signing out ends this session for the very next request on every replica, and takes the cookie away', async () => {
  const { laptop, phone } = await newAccount();
  for (let round = 0; round < 5; round++)
    assert.deepEqual([await me(laptop, apps[0]), await me(laptop, apps[1])], [200, 200]);
  const out = await ask({ method: 'POST', path: 'auth/sign-out', headers: laptop.headers });
  assert.deepEqual([out.status, out.cookies], [204, ['fanfold_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']]);
  assert.deepEqual([await me(laptop, apps[0]), await me(laptop, apps[1])], [401, 401]);
  assert.equal(await me(phone, apps[1]), 200);
  assert.equal((await ask({ method: 'POST', path: 'auth/sign-out', headers: laptop.headers })).status, 401);
});

test('signing out everywhere ends every session on every replica at once, keeps keys, and is told', async () => {
  const { laptop, phone, ...account } = await newAccount();
  const { key } = await seedKey(db.database, account);
  const bystander = (await newAccount()).laptop;
  const kept = await ask({
    method: 'POST',
    path: 'auth/sign-out/everywhere',
    headers: laptop.headers,
    body: { keep_current: true },
  });
  assert.deepEqual([kept.status, kept.body, kept.cookies], [200, { ended: 1 }, []]);
  assert.deepEqual([await me(laptop, apps[1]), await me(phone, apps[1])], [200, 401]);
  const tablet = await seedSession(db.database, account);
  const all = await ask({ method: 'POST', path: 'auth/sign-out/everywhere', headers: tablet.headers, app: apps[1] });
  assert.deepEqual([all.status, all.body], [200, { ended: 2 }]);
  assert.match(all.cookies[0] ?? '', /^fanfold_session=; .*Max-Age=0/);
  for (const app of apps) assert.deepEqual([await me(laptop, app), await me(tablet, app)], [401, 401]);
  assert.equal((await ask({ path: 'me', headers: bearer(key) })).status, 200);
  assert.equal(await me(bystander), 200);
  const told = await db.database.query<{ data: unknown }>(
    "select data from activity where account_id = $1 and type = 'account.sessions_ended' order by id",
    [account.accountId],
  );
  assert.deepEqual(
    told.map(({ data }) => data),
    [{ ended: 1 }, { ended: 2 }],
  );
});

test('sessions that hammer one replica are refused as soon as the other has ended them', async () => {
  for (let round = 0; round < 3; round++) {
    const { laptop, phone } = await newAccount();
    const seen: { startedMs: number; status: number }[] = [];
    const stop = new AbortController();
    const client = async () => {
      while (!stop.signal.aborted) {
        const startedMs = performance.now();
        seen.push({ startedMs, status: await me(phone, apps[1]) });
      }
    };
    const clients = [client(), client(), client(), client()];
    await until(async () => seen.filter(({ status }) => status === 200).length >= 4);
    const body = { keep_current: true };
    await ask({ method: 'POST', path: 'auth/sign-out/everywhere', headers: laptop.headers, body });
    const endedMs = performance.now();
    while (seen.filter(({ startedMs }) => startedMs > endedMs).length < 8) await sleep(1);
    stop.abort();
    await Promise.all(clients);
    for (const { startedMs, status } of seen) if (startedMs > endedMs) assert.equal(status, 401);
  }
});

async function setEnd(session: SignedIn, sql: string): Promise<void> {
  await db.database.query(`update auth_sessions set ${sql} where id = $1`, [session.sessionId]);
}

async function endOf(session: SignedIn): Promise<number> {
  const [row] = await db.database.query<{ days: number }>(
    'select extract(epoch from expires_at - now())::float8 / 86400 as days from auth_sessions where id = $1',
    [session.sessionId],
  );
  return row?.days ?? Number.NaN;
}

async function until(check: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + 60_000;
  while (!(await check())) {
    assert.ok(performance.now() < deadlineMs, 'it did not come to pass in time');
    await sleep(5);
  }
}

test('use puts the end of a session off to 14 days, at most once an hour and never past 90 days', async () => {
  const { laptop, phone } = await newAccount();
  await setEnd(laptop, "expires_at = now() + interval '3 days'");
  assert.equal(await me(laptop), 200);
  await until(async () => Math.abs((await endOf(laptop)) - 14) < 0.01);
  await setEnd(laptop, "expires_at = now() + interval '14 days' - interval '30 minutes'");
  assert.equal(await me(laptop), 200);
  await setEnd(phone, "created_at = now() - interval '80 days', expires_at = now() + interval '3 days'");
  assert.equal(await me(phone), 200);
  await until(async () => Math.abs((await endOf(phone)) - 10) < 0.01);
  const days = await endOf(laptop);
  assert.ok(days < 13.99, `a second write within the hour: ${days}`);
});

test('a session that was not used in time is over', async () => {
  const { laptop } = await newAccount();
  await setEnd(laptop, "expires_at = now() - interval '1 second'");
  assert.equal(await me(laptop), 401);
});

test('a cookie that cannot be a session never reaches the database, and two at once count as none', async () => {
  const counted = { statements: 0 };
  const sql: Sql = {
    query: (text, values, options) => {
      counted.statements += 1;
      return db.database.query(text, values, options);
    },
  };
  const cookie = createSessionCookie(false);
  const authenticate = createSessionAuthenticator({ sql, cookie, secret: Buffer.alloc(32), publicUrl: null });
  const { laptop } = await newAccount();
  const token = laptop.cookie.split('=')[1] ?? '';
  const worthless = ['', 'fanfold_session=', 'fanfold_session=x', `other=${token}`, `fanfold_session=${token}x`];
  for (const text of [...worthless, `${laptop.cookie}; ${laptop.cookie}`, `__Host-${laptop.cookie}`])
    assert.equal(await authenticate({ cookie: text }, 'GET'), null, text);
  assert.equal(counted.statements, 0);
  const answers = await Promise.all(
    Array.from({ length: 1000 }, (_, at) =>
      authenticate({ cookie: at % 2 ? laptop.cookie : `fanfold_session=${'x'.repeat(28)}${1000 + at}` }, 'GET'),
    ),
  );
  assert.equal(answers.filter((each) => each?.sessionId === laptop.sessionId).length, 500);
  assert.equal(counted.statements, 2);
});

test('a database error does not end a session', async () => {
  const sql: Sql = { query: () => Promise.reject(fault('service_unavailable')) };
  const cookie = createSessionCookie(false);
  const authenticate = createSessionAuthenticator({ sql, cookie, secret: Buffer.alloc(32), publicUrl: null });
  await assert.rejects(
    authenticate({ cookie: `fanfold_session=${'x'.repeat(32)}` }, 'GET'),
    (error) => error instanceof Fault && error.fault === 'service_unavailable',
  );
});
