import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { seedAccount } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type SignedIn, seedSession, signUp, testPassword } from '#test/sessions.ts';

let db: TestDatabase;
let app: TestApp;
let session: SignedIn;
let operatorId: string;

before(async () => {
  db = await createTestDatabase();
  app = await startApp(db.database);
  const { accountId } = await seedAccount(db.database);
  operatorId = accountId;
  await db.database.query(`update accounts set role = 'admin' where id = $1`, [accountId]);
  session = await seedSession(db.database, { accountId });
});

after(async () => {
  await app?.stop();
  await db?.drop();
});

async function ask(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.origin}/api/v1/operator/${path}`, {
    method,
    headers: { ...session.headers, ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : Object(JSON.parse(text)) };
}

test('the right of an operator ends with the next request after it was taken away', async () => {
  const { accountId } = await seedAccount(db.database);
  const other = await seedSession(db.database, { accountId });
  const list = () => fetch(`${app.origin}/api/v1/operator/accounts`, { headers: other.headers });
  assert.equal((await list()).status, 403);
  assert.equal((await ask('PATCH', `accounts/${accountId}`, { role: 'admin' })).body.role, 'admin');
  assert.equal((await list()).status, 200);
  await ask('PATCH', `accounts/${accountId}`, { role: 'user' });
  assert.equal((await list()).status, 403);
});

test('accounts are found by slug, address and name, page by page', async () => {
  for (const n of [1, 2, 3]) await seedAccount(db.database, { slug: `needle-${n}` });
  const slugs: string[] = [];
  let cursor = '';
  do {
    const { body } = await ask('GET', `accounts?search=Needle&limit=2${cursor}`);
    assert.equal(body.total_count, 3);
    slugs.push(...body.data.map(({ slug }: { slug: string }) => slug));
    cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
  } while (cursor !== '');
  assert.deepEqual(slugs, ['needle-3', 'needle-2', 'needle-1']);
});

test('a suspended account is refused at once, and let in again', async () => {
  const { accountId } = await seedAccount(db.database);
  const { cookie } = await seedSession(db.database, { accountId });
  const me = async () => (await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } })).status;
  await ask('PATCH', `accounts/${accountId}`, { status: 'suspended' });
  assert.equal(await me(), 403);
  await ask('PATCH', `accounts/${accountId}`, { status: 'active' });
  assert.equal(await me(), 200);
  const own = await ask('PATCH', `accounts/${operatorId}`, { status: 'suspended' });
  assert.deepEqual([own.status, own.body.error.details], [409, { reason: 'own_account' }]);
});

test('credits are granted once, however often the grant is sent', async () => {
  const { accountId } = await seedAccount(db.database);
  const grant = () =>
    ask('POST', `accounts/${accountId}/credits`, { credits: '2.5' }, { 'idempotency-key': `grant-${accountId}` });
  assert.deepEqual(await grant(), { status: 200, body: { balance: '2.500000' } });
  assert.deepEqual(await grant(), { status: 200, body: { balance: '2.500000' } });
  for (const credits of ['0', '-1', 'many'])
    assert.equal((await ask('POST', `accounts/${accountId}/credits`, { credits })).status, 400);
});

test('limits of the operator stand beside those of the account', async () => {
  const { accountId } = await seedAccount(db.database);
  const wanted = { requests_per_minute: 5, credits_per_day: '1', storage_bytes: 1_048_576 };
  const changed = await ask('PATCH', `accounts/${accountId}/limits`, wanted);
  assert.deepEqual(changed.body.operator, {
    requests_per_minute: 5,
    concurrent_requests: null,
    credits_per_day: '1.000000',
    storage_bytes: 1_048_576,
  });
  assert.equal(changed.body.requests_per_minute, null);
  assert.deepEqual((await ask('GET', `accounts/${accountId}/limits`)).body, changed.body);
  const none = { requests_per_minute: null, credits_per_day: null, storage_bytes: null };
  const lifted = await ask('PATCH', `accounts/${accountId}/limits`, none);
  assert.equal(lifted.body.operator.storage_bytes, null);
});

test('sign-up opens and closes at once, and new accounts start with the credits that the operator has set', async () => {
  const options = async () => Object(await (await fetch(`${app.origin}/api/v1/auth/options`)).json()).sign_up;
  assert.equal(await options(), 'closed');
  assert.deepEqual((await ask('PATCH', 'sign-up', { policy: 'open', credits: '7' })).body, {
    policy: 'open',
    credits: '7.000000',
  });
  assert.equal(await options(), 'open');
  const prices = await fetch(`${app.origin}/api/v1/pricing/platform`);
  assert.equal(Object(await prices.json()).signup_credits, '7.000000');
  const { cookie } = await signUp(app.origin, { email: 'eve@example.com', password: testPassword });
  const me = await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } });
  assert.deepEqual(Object(await me.json()).credits, { available: '7.000000' });
  assert.equal((await ask('PATCH', 'sign-up', { policy: 'closed' })).body.credits, '7.000000');
  assert.equal(await options(), 'closed');
  assert.equal((await ask('PATCH', 'sign-up', { policy: 'oidc' })).body.error.details.reason, 'no_identity_provider');
});

test('an invitation is listed until it is taken back, and its link names this service', async () => {
  const made = await ask('POST', 'invitations', { email: 'Mia@Example.com' });
  assert.equal(made.status, 201);
  assert.match(made.body.link, new RegExp(`^${app.origin}/join#\\w{32}$`));
  const { data } = (await ask('GET', 'invitations')).body;
  assert.deepEqual([data[0].id, data[0].email, data[0].state], [made.body.id, 'mia@example.com', 'open']);
  assert.equal((await ask('DELETE', `invitations/${made.body.id}`)).status, 204);
  assert.equal((await ask('DELETE', `invitations/${made.body.id}`)).status, 404);
});

test('an account is deleted when it is suspended, and is in no list then', async () => {
  const { accountId, slug } = await seedAccount(db.database);
  const { cookie } = await seedSession(db.database, { accountId });
  const path = `accounts/${accountId}/delete`;
  const active = await ask('POST', path);
  assert.deepEqual([active.status, active.body.error.details], [409, { reason: 'not_suspended' }]);
  await ask('PATCH', `accounts/${accountId}`, { status: 'suspended' });
  assert.equal((await ask('POST', path)).status, 204);
  assert.equal((await fetch(`${app.origin}/api/v1/me`, { headers: { cookie } })).status, 401);
  assert.equal((await ask('GET', `accounts?search=${slug}`)).body.total_count, 0);
  for (const answer of [await ask('POST', path), await ask('PATCH', `accounts/${accountId}`, { status: 'active' })])
    assert.equal(answer.status, 404);
});
