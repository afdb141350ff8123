import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type SignedIn, seedPassword, seedSession, signIn, testPassword } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

type Wrong = { code: string; param: string | null; details: unknown };
type Answer = { status: number; headers: Headers; body: Record<string, unknown> & { error?: Wrong } };
type Asked = { method?: string; path?: string; headers?: Record<string, string>; body?: unknown };

async function ask({ method = 'GET', path = '', headers = {}, body }: Asked): Promise<Answer> {
  const response = await fetch(`${app.origin}/api/v1/me${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(180_000),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

const wrong = ({ status, body: { error } }: Answer) => [status, error?.code, error?.param, error?.details];

const count = async (type: string, accountId: string) =>
  (await db.database.query('select from activity where type = $1 and account_id = $2', [type, accountId])).length;

test('an account shows itself whole, to a key and to a session', async () => {
  const { accountId, slug } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId });
  const { body, status } = await ask({ headers: bearer(key) });
  const { created_at: createdAt, updated_at: updatedAt, ...rest } = body;
  assert.equal(status, 200);
  assert.match(
    `${createdAt} ${updatedAt}`,
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  );
  assert.deepEqual(rest, {
    id: accountId,
    slug,
    email: null,
    email_verified: false,
    display_name: slug,
    avatar_url: null,
    locale: 'en',
    role: 'user',
    status: 'active',
    auth: {
      method: 'api_key',
      key_id: keyId,
      identity_provider: 'local',
      has_password: false,
      session_expires_at: null,
    },
    credits: { available: '0.000000' },
    limits: { max_active_keys: 1000, max_projects: 1000 },
  });
  const session = await seedSession(db.database, { accountId });
  const seen = await ask({ headers: { cookie: session.cookie } });
  const { session_expires_at: end, ...auth } = seen.body['auth'] as Record<string, unknown>;
  assert.deepEqual(auth, { method: 'session', key_id: null, identity_provider: 'local', has_password: false });
  assert.ok(Math.abs(Date.parse(String(end)) - Date.now() - 14 * 86_400_000) < 60_000);
});

test('a profile changes field by field, and what holds already is no change', async () => {
  const account = await seedAccount(db.database);
  const { key } = await seedKey(db.database, account);
  const change = (body: unknown) => ask({ method: 'PATCH', path: '/profile', headers: bearer(key), body });
  const profileOf = ({ body }: Answer) => [body['display_name'], body['avatar_url'], body['locale']];
  const told = () => count('account.profile_updated', account.accountId);
  assert.deepEqual(profileOf(await change({ display_name: '安娜 🦦', locale: 'ZH-cn' })), ['安娜 🦦', null, 'zh-CN']);
  const picture = 'https://cdn.example/otter.png?size=80';
  assert.deepEqual(profileOf(await change({ avatar_url: picture })), ['安娜 🦦', picture, 'zh-CN']);
  assert.equal(await told(), 2);
  const same = await change({ avatar_url: picture, locale: 'zh-cn' });
  const nothing = await change({});
  assert.deepEqual([same.status, nothing.status, await told()], [200, 200, 2]);
  assert.equal(same.body['updated_at'], nothing.body['updated_at']);
  assert.deepEqual(profileOf(await change({ avatar_url: null })), ['安娜 🦦', null, 'zh-CN']);
  const [row] = await db.database.query<{ data: unknown }>(
    'select data from activity where account_id = $1 order by id desc limit 1',
    [account.accountId],
  );
  assert.deepEqual(row?.data, { fields: ['avatar_url'] });
});

test('what is no profile is refused by the name of its field, and nothing of it is kept', async () => {
  const account = await seedAccount(db.database);
  const { key } = await seedKey(db.database, account);
  const change = (body: unknown) => ask({ method: 'PATCH', path: '/profile', headers: bearer(key), body });
  const bad: [string, unknown][] = [
    ...['', '   ', 'x'.repeat(81), 'two\nlines'].map((value): [string, unknown] => ['display_name', value]),
    ...[
      'http://a.example/x.png',
      'https://',
      'https://u:p@a.example/',
      'javascript:alert(1)',
      `https://a.example/${'x'.repeat(2048)}`,
      'https://a.example/a b',
    ].map((value): [string, unknown] => ['avatar_url', value]),
    ...['', 'e', 'not a locale', 'en_US!', 'x'.repeat(40)].map((value): [string, unknown] => ['locale', value]),
  ];
  for (const [field, value] of bad) {
    const answer = await change({ display_name: 'Kept', [field]: value });
    assert.deepEqual(wrong(answer).slice(0, 3), [400, 'invalid_request', field], JSON.stringify(value));
  }
  for (const body of [{ display_name: 1 }, { avatar_url: 1 }, { locale: null }, { display_name: null }])
    assert.equal((await change(body)).status, 422, JSON.stringify(body));
  const { body, headers } = await change({ email: 'x@example.com', role: 'admin', slug: 'other', credits: 5 });
  assert.deepEqual(
    [body['display_name'], body['email'], body['role'], body['slug']],
    [account.slug, null, 'user', account.slug],
  );
  assert.equal(headers.get('x-fnf-ignored-fields'), 'email, role, slug, credits');
  assert.equal(await count('account.profile_updated', account.accountId), 0);
});

async function person() {
  const account = await seedAccount(db.database);
  const { email } = await seedPassword(db.database, account);
  const [laptop, phone] = [await seedSession(db.database, account), await seedSession(db.database, account)];
  const { key } = await seedKey(db.database, account);
  return { ...account, email, laptop, phone, key };
}

const newPassword = 'quiet otters fold 7 paper fans';

const changePassword = (session: SignedIn, current: string, next = newPassword) =>
  ask({
    method: 'POST',
    path: '/password',
    headers: session.headers,
    body: { current_password: current, new_password: next },
  });

const statusOf = async (headers: Record<string, string>) => (await ask({ headers })).status;

test('a change of the password ends all other sessions, keeps keys, and is told once', async () => {
  const { laptop, phone, key, email, accountId } = await person();
  const { status, body } = await changePassword(laptop, testPassword);
  assert.deepEqual([status, body], [204, {}]);
  assert.equal(await statusOf({ cookie: laptop.cookie }), 200);
  assert.equal(await statusOf({ cookie: phone.cookie }), 401);
  assert.equal(await statusOf(bearer(key)), 200);
  await assert.rejects(signIn(app.origin, { email, password: testPassword }), /401/);
  await signIn(app.origin, { email, password: newPassword });
  const [told] = await db.database.query<{ n: number; secrets: number }>(
    `select count(*)::integer as n, count(*) filter (where a::text like $2)::integer as secrets
     from activity a where account_id = $1 and type = 'account.password_changed' and actor_kind = 'account'`,
    [accountId, `%${newPassword}%`],
  );
  assert.deepEqual({ ...told }, { n: 1, secrets: 0 });
});

test('a password is changed by a person only, who knows the current one', async () => {
  const { laptop, phone, key } = await person();
  const body = { current_password: testPassword, new_password: newPassword };
  const byKey = await ask({ method: 'POST', path: '/password', headers: bearer(key), body });
  assert.deepEqual(wrong(byKey), [403, 'session_required', null, null]);
  const guess = await changePassword(laptop, 'quite another one');
  assert.deepEqual(wrong(guess), [403, 'invalid_password', 'current_password', null]);
  assert.deepEqual([await statusOf({ cookie: laptop.cookie }), await statusOf({ cookie: phone.cookie })], [200, 200]);
  assert.equal((await ask({ method: 'POST', path: '/password', headers: laptop.headers, body: {} })).status, 422);
});

test('a weak new password names the rules that it breaks, and the present one is none', async () => {
  const { laptop, email } = await person();
  const rules = async (next: string) => wrong(await changePassword(laptop, testPassword, next));
  assert.deepEqual(await rules('short'), [400, 'invalid_request', 'new_password', { rules: ['min_length'] }]);
  assert.deepEqual(await rules('qwertyuiop12'), [400, 'invalid_request', 'new_password', { rules: ['common'] }]);
  assert.deepEqual(await rules(email), [400, 'invalid_request', 'new_password', { rules: ['personal'] }]);
  assert.deepEqual(await rules(testPassword), [400, 'invalid_request', 'new_password', { rules: ['unchanged'] }]);
});

test('an account without a password has none to change', async () => {
  const laptop = await seedSession(db.database, await seedAccount(db.database));
  const answer = await changePassword(laptop, testPassword);
  assert.deepEqual(wrong(answer), [409, 'state_conflict', null, { reason: 'external_identity' }]);
});

test('the sixth wrong password in 15 minutes is one too many, even if it is right', async () => {
  const { laptop } = await person();
  for (let at = 0; at < 5; at++) assert.equal((await changePassword(laptop, `guess number ${at}`)).status, 403);
  const { status, headers, body } = await changePassword(laptop, testPassword);
  assert.deepEqual([status, body.error?.code], [429, 'rate_limited']);
  assert.ok(Number(headers.get('retry-after')) > 800);
});

test('of two changes of one password at the same time one wins, and the password is the one of the winner', async () => {
  const { laptop, phone, email } = await person();
  const [one, two] = await Promise.all([
    changePassword(laptop, testPassword, 'the first of the two new ones'),
    changePassword(phone, testPassword, 'the second of the two new ones'),
  ]);
  const [loser] = [one.status, two.status].filter((status) => status !== 204);
  assert.ok(loser === 401 || loser === 403, `${one.status} and ${two.status}`);
  const winner = one.status === 204 ? 'the first of the two new ones' : 'the second of the two new ones';
  await signIn(app.origin, { email, password: winner });
});
