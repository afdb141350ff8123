import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { createAccount, createStartToken, invite } from '#accounts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { testPassword } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;
let host: string;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database, {
    settings: { FANFOLD_TRUSTED_PROXIES: '127.0.0.1', FANFOLD_SIGNUP_CREDITS: '3' },
  });
  host = new URL(app.origin).host;
});

beforeEach(() => db.database.query('truncate accounts cascade'));

after(async () => {
  await app?.stop();
  await db?.drop();
});

let visitors = 0;

/** Each request comes from an address of its own, so that none uses up the tries of another. */
async function post(path: string, body: object, headers: Record<string, string> = {}) {
  visitors += 1;
  const response = await fetch(`${app.origin}/api/v1/auth/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': `192.0.2.${visitors % 250}`, ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: Object(await response.json()), cookie: response.headers.getSetCookie()[0] };
}

const start = async () => (await createStartToken(db.database, host)) ?? assert.fail('there is an operator');
const local = () => createAccount(db.database, { slug: 'local', displayName: 'Local', role: 'admin' });
const person = (token: string, email = 'ada@example.com') => ({ token, email, password: testPassword });
const codeOf = ({ status, body }: { status: number; body: { error?: { details?: { reason?: string } } } }) => [
  status,
  body.error?.details?.reason,
];
const invalid = [403, 'invitation_invalid'];

test('the start link gives the account of the first start its address and password, and signs in as operator', async () => {
  const { id } = await local();
  const token = await start();
  const shown = await post('invitation', { token });
  assert.deepEqual(shown.body, { kind: 'start', role: 'admin', email: null });
  const joined = await post('sign-up/invitation', person(token));
  assert.equal(joined.status, 201);
  const { account } = joined.body;
  assert.deepEqual([account.id, account.role, account.email], [id, 'admin', 'ada@example.com']);
  assert.match(joined.cookie ?? '', /^fanfold_session=/);
  assert.equal((await post('sign-in/email', { email: 'ada@example.com', password: testPassword })).status, 200);
  assert.equal(await createStartToken(db.database, host), null, 'no further link while an operator can sign in');
});

test('without an account of the first start the link opens one', async () => {
  const joined = await post('sign-up/invitation', { ...person(await start()), slug: 'ada' });
  assert.deepEqual([joined.status, joined.body.account.slug, joined.body.account.role], [201, 'ada', 'admin']);
});

test('of many that use start links at once, one becomes operator', async () => {
  await local();
  const tokens = [await start(), await start()];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      post('sign-up/invitation', person(tokens[at % 2] ?? '', `ada-${at}@example.com`)),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.ok(
    answers.filter(({ status }) => status !== 201).every((answer) => String(codeOf(answer)) === String(invalid)),
  );
  for (const token of tokens) assert.deepEqual(codeOf(await post('invitation', { token })), invalid);
});

test('a start link is worth nothing at another host, or after its time', async () => {
  await local();
  const token = await start();
  const elsewhere = (await createStartToken(db.database, 'models.example')) ?? '';
  assert.deepEqual(codeOf(await post('sign-up/invitation', person(elsewhere))), invalid);
  await db.database.query('update invitations set expires_at = now() where host = $1', [host]);
  assert.deepEqual(codeOf(await post('invitation', { token })), invalid);
  assert.deepEqual(codeOf(await post('sign-up/invitation', person(token))), invalid);
});

test('a refused try leaves the link as it is', async () => {
  await local();
  const token = await start();
  assert.equal((await post('sign-up/invitation', { ...person(token), password: 'short' })).status, 400);
  await createAccount(db.database, { slug: 'bob', email: 'bob@example.com' });
  assert.equal((await post('sign-up/invitation', person(token, 'bob@example.com'))).body.error.code, 'email_taken');
  const foreign = { origin: 'https://elsewhere.example' };
  assert.equal((await post('sign-up/invitation', person(token), foreign)).status, 403);
  assert.equal((await post('sign-up/invitation', person(token))).status, 201);
});

test('an invitation opens one account though sign-up is closed, for the invited address, with the starting credits', async () => {
  const { id: createdBy } = await local();
  const { token } = await invite(db.database, { email: 'Eve@Example.com', role: 'user', createdBy });
  assert.equal((await post('sign-up/invitation', person(token))).body.error.param, 'email');
  const joined = await post('sign-up/invitation', person(token, 'eve@example.com'));
  assert.deepEqual(
    [joined.status, joined.body.account.role, joined.body.account.email_verified, joined.body.account.credits],
    [201, 'user', true, { available: '3.000000' }],
  );
  assert.deepEqual(codeOf(await post('sign-up/invitation', person(token, 'eve@example.com'))), invalid);
  await assert.rejects(invite(db.database, { email: 'eve@example.com', role: 'user', createdBy }), /e-mail address/);
});
