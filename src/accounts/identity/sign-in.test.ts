import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { updateAccountStatus } from '#accounts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { cookieOf, type SignedIn, signIn, signUp, testPassword } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;
let closed: TestApp;

before(async () => {
  db = await createTestDatabase();
  const proxied = { FANFOLD_TRUSTED_PROXIES: '127.0.0.1' };
  app = await startApp(db.database, {
    settings: { ...proxied, FANFOLD_SIGNUP: 'open', FANFOLD_SIGNUP_CREDITS: '2.5' },
  });
  closed = await startApp(db.database, { settings: { ...proxied, FANFOLD_PUBLIC_URL: 'https://fanfold.example' } });
});

after(async () => {
  await app?.stop();
  await closed?.stop();
  await db?.drop();
});

type Answer = {
  status: number;
  headers: Headers;
  cookies: string[];
  body: Record<string, unknown> & {
    error?: { code: string; param: string | null; message: string; details: unknown };
    account?: Record<string, unknown>;
  };
};

/** Every test comes from an address of its own, so that none uses up the tries of another. */
async function post(
  path: string,
  {
    body,
    headers = {},
    origin = app.origin,
    ip,
  }: { body: unknown; headers?: Record<string, string>; origin?: string; ip: string },
): Promise<Answer> {
  const response = await fetch(`${origin}/api/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': ip, ...headers },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    cookies: response.headers.getSetCookie(),
    body: text === '' ? {} : JSON.parse(text),
  };
}

async function me({ cookie }: Pick<SignedIn, 'cookie'>): Promise<number> {
  return (await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } })).status;
}

test('signing up opens an account with its credits, once, and signs in with a cookie that scripts cannot read', async () => {
  const { status, body, cookies, headers } = await post('sign-up/email', {
    body: { email: 'Ada.Lovelace@Example.com', password: testPassword, display_name: 'Ada' },
    ip: '192.0.2.1',
  });
  assert.equal(status, 201);
  const account = body.account ?? {};
  assert.deepEqual(
    [account['slug'], account['email'], account['email_verified'], account['display_name'], account['credits']],
    ['ada-lovelace', 'ada.lovelace@example.com', false, 'Ada', { available: '2.500000' }],
  );
  assert.equal(headers.get('cache-control'), 'no-store');
  assert.equal(cookies.length, 1);
  assert.match(cookies[0] ?? '', /^fanfold_session=[A-Za-z0-9]{32}; Path=\/; Max-Age=7776000; HttpOnly; SameSite=Lax$/);
  assert.ok(!JSON.stringify(body).includes(String(cookies[0]).slice(16, 48)), 'the token is in the cookie only');
  const rows = await db.database.query(
    `select (select count(*)::integer from ledger where account_id = $1) as grants,
            (select count(*)::integer from activity where account_id = $1 and type = 'account.created') as told`,
    [account['id']],
  );
  assert.deepEqual(rows, [{ grants: 1, told: 1 }]);
});

test('an address is one account, however it is written, and what is no address is refused', async () => {
  const ip = '192.0.2.2';
  await signUp(app.origin, { email: 'twin@example.com' });
  const twin = await post('sign-up/email', { body: { email: 'TWIN@EXAMPLE.COM', password: testPassword }, ip });
  assert.deepEqual([twin.status, twin.body.error?.code, twin.body.error?.param], [409, 'email_taken', 'email']);
  for (const email of [
    '',
    'twin',
    'twin@',
    '@example.com',
    'a b@example.com',
    'tw\u0456n@example.com',
    'twin@exa\u212aple.com',
    `${'x'.repeat(250)}@example.com`,
  ]) {
    const answer = await post('sign-up/email', { body: { email, password: testPassword }, ip });
    assert.deepEqual(
      [answer.status, answer.body.error?.code, answer.body.error?.param],
      [400, 'invalid_request', 'email'],
      email,
    );
  }
});

test('of ten sign-ups with one address at the same time one succeeds, and leaves one account', async () => {
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      post('sign-up/email', { body: { email: 'race@example.com', password: testPassword }, ip: `198.51.100.${at}` }),
    ),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 9 }, () => 409)]);
  assert.equal((await db.database.query("select from accounts where email = 'race@example.com'")).length, 1);
});

test('a slug can be chosen, is refused when taken, and is otherwise made unique', async () => {
  const ip = '192.0.2.3';
  const chosen = (email: string, slug?: string) =>
    post('sign-up/email', { body: { email, password: testPassword, ...(slug === undefined ? {} : { slug }) }, ip });
  assert.equal((await chosen('one@a.example', 'otter')).body.account?.['slug'], 'otter');
  const taken = await chosen('two@a.example', 'otter');
  assert.deepEqual([taken.status, taken.body.error?.code, taken.body.error?.param], [409, 'slug_taken', 'slug']);
  assert.equal((await chosen('otter@b.example')).body.account?.['slug'], 'otter-2');
  const bad = await chosen('three@a.example', 'Not a slug');
  assert.deepEqual([bad.status, bad.body.error?.param], [400, 'slug']);
  assert.equal(
    (await db.database.query("select from accounts where email in ('two@a.example', 'three@a.example')")).length,
    0,
  );
});

test('a weak password names the rules that it breaks, and wrong shapes are 422', async () => {
  const ip = '192.0.2.4';
  const weak = await post('sign-up/email', { body: { email: 'weak@example.com', password: 'password' }, ip });
  assert.deepEqual([weak.status, weak.body.error?.param], [400, 'password']);
  assert.deepEqual(weak.body.error?.details, { rules: ['min_length', 'common'] });
  for (const body of [{}, { email: 1, password: testPassword }, { email: 'a@example.com' }, []])
    assert.equal((await post('sign-up/email', { body, ip })).status, 422);
});

test('unknown address, no password and wrong password are one answer', async () => {
  const ip = '192.0.2.5';
  await signUp(app.origin, { email: 'known@example.com' });
  await db.database.query(
    "insert into accounts (id, slug, email, display_name) values ('acc_without', 'without', 'without@example.com', 'W')",
  );
  const answers = await Promise.all(
    ['known@example.com', 'unknown@example.com', 'without@example.com', 'not an address', 'a@example.com'].map(
      (email, at) =>
        post('sign-in/email', { body: { email, password: at === 4 ? 'x'.repeat(5000) : 'quite another one' }, ip }),
    ),
  );
  for (const { status, body, cookies } of answers) {
    assert.deepEqual([status, cookies], [401, []]);
    assert.deepEqual({ ...body.error, request_id: null }, { ...answers[0]?.body.error, request_id: null });
  }
  assert.equal(
    (await post('sign-in/email', { body: { email: 'Known@Example.com', password: testPassword }, ip })).status,
    200,
  );
});

test('a wrong password takes as much work as an unknown address', async () => {
  await signUp(app.origin, { email: 'timed@example.com' });
  const took = async (email: string, at: number) => {
    // Work, and not time, which is also that of everything else on the machine.
    const start = process.cpuUsage();
    await post('sign-in/email', { body: { email, password: 'quite another one' }, ip: `203.0.113.${at}` });
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const known: number[] = [];
  const unknown: number[] = [];
  for (let at = 0; at < 6; at++) {
    known.push(await took('timed@example.com', at));
    unknown.push(await took(`nobody-${at}@example.com`, at));
  }
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length / 2] ?? 0;
  const ratio = median(unknown) / median(known);
  // Without a password to check it would be a fiftieth.
  assert.ok(ratio > 0.25 && ratio < 4, `an unknown address takes ${ratio} times as much`);
});

test('with sign-up closed nobody opens an account, and those who have one sign in', async () => {
  const ip = '192.0.2.6';
  const { origin } = closed;
  const refused = await post('sign-up/email', {
    body: { email: 'new@example.com', password: testPassword },
    origin,
    ip,
  });
  assert.deepEqual([refused.status, refused.body.error?.code], [403, 'forbidden']);
  assert.deepEqual(refused.body.error?.details, { reason: 'sign_up_closed' });
  assert.equal((await db.database.query("select from accounts where email = 'new@example.com'")).length, 0);
  const options = await fetch(`${origin}/api/v1/auth/options`);
  assert.deepEqual(await options.json(), {
    sign_up: 'closed',
    oidc: null,
    password: { min_length: 12, max_length: 128 },
  });
  await signUp(app.origin, { email: 'old@example.com' });
  const entered = await post('sign-in/email', {
    body: { email: 'old@example.com', password: testPassword },
    origin,
    ip,
  });
  assert.equal(entered.status, 200);
  assert.match(
    entered.cookies[0] ?? '',
    /^__Host-fanfold_session=\w{32}; Path=\/; Max-Age=\d+; HttpOnly; SameSite=Lax; Secure$/,
  );
});

test('a cookie that was given over HTTPS is for HTTPS, also when only a proxy knows of it', async () => {
  await signUp(app.origin, { email: 'proxied@example.com' });
  const { cookies } = await post('sign-in/email', {
    body: { email: 'proxied@example.com', password: testPassword },
    headers: { 'x-forwarded-proto': 'https' },
    ip: '192.0.2.7',
  });
  assert.match(cookies[0] ?? '', /; Secure$/);
});

test('a suspended account is told so, when the password is right', async () => {
  const ip = '192.0.2.8';
  const email = 'suspended@example.com';
  const session = await signUp(app.origin, { email });
  const [account] = await db.database.query<{ id: string }>('select id from accounts where email = $1', [email]);
  await updateAccountStatus(db.database, account?.id ?? '', 'suspended');
  const shut = await fetch(`${app.origin}/api/v1/me`, { headers: { cookie: session.cookie } });
  assert.equal(shut.status, 403, 'the very next request of a session that it had');
  const right = await post('sign-in/email', { body: { email, password: testPassword }, ip });
  assert.deepEqual([right.status, right.body.error?.code, right.cookies], [403, 'account_suspended', []]);
  const wrong = await post('sign-in/email', { body: { email, password: 'quite another one' }, ip });
  assert.equal(wrong.body.error?.code, 'invalid_credentials');
  await updateAccountStatus(db.database, account?.id ?? '', 'active');
  assert.equal(await me(session), 200);
});

test('a page of another site cannot sign anybody in, and signing in again ends the session of this browser', async () => {
  const ip = '192.0.2.9';
  const body = { email: 'login@example.com', password: testPassword };
  const first = await signUp(app.origin, { email: body.email });
  for (const headers of [{ origin: 'https://evil.example' }, { origin: 'null' }, { 'sec-fetch-site': 'cross-site' }]) {
    const { status, body: answer, cookies } = await post('sign-in/email', { body, headers, ip });
    assert.deepEqual([status, answer.error?.code, cookies], [403, 'forbidden', []]);
  }
  const again = await post('sign-in/email', { body, headers: { origin: app.origin, cookie: first.cookie }, ip });
  assert.equal(again.status, 200);
  assert.equal(await me(first), 401);
  assert.equal(await me({ cookie: again.cookies[0]?.split(';')[0] ?? '' }), 200);
  assert.equal(await me(await signIn(app.origin, body)), 200);
});

test('only JSON signs in, within the bounds of every body', async () => {
  const send = (type: string, body: string) =>
    fetch(`${app.origin}/api/v1/auth/sign-in/email`, { method: 'POST', headers: { 'content-type': type }, body });
  const form = await send('application/x-www-form-urlencoded', 'email=login%40example.com&password=x');
  assert.equal(form.status, 415);
  assert.equal(cookieOf(form), '');
  assert.equal((await send('application/json', JSON.stringify({ email: 'x'.repeat(1_100_000) }))).status, 413);
  assert.equal((await send('application/json', '{"email":')).status, 400);
});
