import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { FastifyBaseLogger } from 'fastify';
import { invite } from '#accounts';
import { doctor } from '#billing';
import type { Database } from '#db';
import type { CancelableWork } from '#projects';
import { bearer, seedAccount, seedProject } from '#test/accounts.ts';
import { startApp, type TestApp } from '#test/app.ts';
import { fileDatabase } from '#test/file-database.ts';
import { type SignedIn, seedPassword, seedSession, signIn, signUp, testPassword } from '#test/sessions.ts';
import { seedTenant } from '#test/tenants.ts';
import { openAccountRemoval } from './account-removal.ts';

let app: TestApp;
after(() => app?.stop());
const database = fileDatabase({
  prepare: async (made) => {
    // Nothing is removed but by the tests.
    app = await startApp(made, { settings: { FANFOLD_ROLES: 'serve', FANFOLD_SIGNUP: 'open' } });
  },
});

async function person() {
  const tenant = await seedTenant(database(), app.models);
  return { ...tenant, session: await seedSession(database(), tenant) };
}

async function send({ headers }: Pick<SignedIn, 'headers'>, path: string, body?: object) {
  const response = await fetch(`${app.origin}/api/v1${path}`, {
    headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, json: Object(text === '' ? {} : JSON.parse(text)) };
}

const remove = (session: Pick<SignedIn, 'headers'>, body: object) => send(session, '/account/delete', body);

const statusWith = async (headers: Record<string, string>) =>
  (await fetch(`${app.origin}/api/v1/me`, { headers })).status;

/** The task of another server, with work of its own. */
function removalWith(work: readonly CancelableWork[] = []) {
  // as: only warnings are logged, and these tests expect none.
  const log = { warn: ({ err }: { err: unknown }) => assert.ifError(err) } as unknown as FastifyBaseLogger;
  return openAccountRemoval({ database: database(), log }, work).removal;
}

const makeDue = (accountId: string) =>
  database().query('update accounts set removal_due_at = now() where id = $1 and removal_due_at is not null', [
    accountId,
  ]);

const projectsOf = (sql: Database, accountId: string) =>
  sql.query<{ isArchived: boolean; visibility: string; isDeleted: boolean }>(
    `select archived_at is not null as "isArchived", visibility, deleted_at is not null as "isDeleted"
       from all_projects where account_id = $1 order by id`,
    [accountId],
  );

test('from the answer on no key and no session is accepted; the address is free, the slug is not', async () => {
  const me = await person();
  const other = await person();
  const { email, password } = await seedPassword(database(), me);
  const session = await signIn(app.origin, { email, password });
  const elsewhere = await signIn(app.origin, { email, password });
  const answer = await remove(session, { password });
  assert.equal(answer.status, 204);
  assert.match(String(answer.headers.getSetCookie()), /^fanfold_session=;/);
  for (const headers of [bearer(me.key), { cookie: session.cookie }, { cookie: elsewhere.cookie }])
    assert.equal(await statusWith(headers), 401);
  const call = await fetch(`${app.origin}/api/projects/${me.slug}/chat/openai/v1/models`, { headers: bearer(me.key) });
  assert.equal(call.status, 401);
  await assert.rejects(signIn(app.origin, { email, password }), /401/);
  const again = await signUp(app.origin, { email });
  assert.equal(await statusWith({ cookie: again.cookie }), 200);
  await assert.rejects(signUp(app.origin, { email: `x${email}`, slug: me.slug }), /slug_taken/);
  // Another account is as it was.
  assert.equal(await statusWith(bearer(other.key)), 200);
  assert.deepEqual(
    (await projectsOf(database(), other.accountId)).map(({ isArchived }) => isArchived),
    [false, false],
  );
});

test('nothing of the person is left in the account, and the ledger explains its balance', async () => {
  const me = await person();
  const { email, password } = await seedPassword(database(), me);
  await database().query(`update accounts set display_name = 'Ada', avatar_url = 'https://x.example/a' where id = $1`, [
    me.accountId,
  ]);
  await invite(database(), { email: 'friend@example.com', role: 'user', createdBy: me.accountId });
  const session = await signIn(app.origin, { email, password });
  assert.equal((await remove(session, { password })).status, 204);
  const [row] = await database().query(
    `select email, display_name = slug as "isNameless", avatar_url, status, role, balance_micro = (
       select sum(micro) from ledger l where l.account_id = a.id) as "isExplained" from accounts a where id = $1`,
    [me.accountId],
  );
  const nothing = { email: null, isNameless: true, avatar_url: null };
  assert.deepEqual(row, { ...nothing, status: 'suspended', role: 'user', isExplained: true });
  for (const [table, column] of [
    ['api_keys', 'account_id'],
    ['auth_sessions', 'account_id'],
    ['auth_identities', 'account_id'],
    ['invitations', 'created_by'],
    ['model_shares', 'account_id'],
  ])
    assert.deepEqual(await database().query(`select from ${table} where ${column} = $1`, [me.accountId]), [], table);
  assert.deepEqual(await doctor(database()), []);
});

test('a wrong password deletes nothing and counts; after five tries even the right one has to wait', async () => {
  const me = await person();
  const { password } = await seedPassword(database(), me);
  const session = await seedSession(database(), me);
  assert.equal((await remove(session, {})).json.error.code, 'invalid_request');
  assert.equal((await remove(session, { confirmation: me.slug })).json.error.code, 'invalid_request');
  for (let attempt = 0; attempt < 5; attempt++)
    assert.equal((await remove(session, { password: `${testPassword}!` })).json.error.code, 'invalid_password');
  const late = await remove(session, { password });
  assert.deepEqual([late.status, late.json.error.code], [429, 'rate_limited']);
  assert.equal(await statusWith(bearer(me.key)), 200);
});

test('an account without a password is deleted when its slug is sent; a key deletes none', async () => {
  const { slug, key, session } = await person();
  assert.equal((await remove({ headers: { ...session.headers, ...bearer(key) } }, { confirmation: slug })).status, 403);
  assert.equal((await remove(session, { confirmation: 'another' })).status, 400);
  assert.equal((await remove(session, { confirmation: slug })).status, 204);
});

test('the last operator who can sign in stays, also when two are deleted at the same time', async () => {
  const operators = await Promise.all(
    [1, 2].map(async () => {
      const { accountId } = await seedAccount(database());
      const { password } = await seedPassword(database(), { accountId });
      await database().query(`update accounts set role = 'admin' where id = $1`, [accountId]);
      return { accountId, password, session: await seedSession(database(), { accountId }) };
    }),
  );
  // Nobody can sign in to it, so it does not count.
  const { accountId: idle } = await seedAccount(database());
  await database().query(`update accounts set role = 'admin' where id = $1`, [idle]);
  const answers = await Promise.all(operators.map(({ session, password }) => remove(session, { password })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 409]);
  const refused = answers.find(({ status }) => status === 409);
  assert.equal(refused?.json.error.details.reason, 'last_operator');
  assert.match(refused?.json.error.message, /grant-operator/);
});

test('projects close at once, are deleted when nothing runs in them, and a removal that is cut off goes on', async () => {
  const me = await person();
  const other = await person();
  await seedProject(database(), { accountId: me.accountId, visibility: 'public' });
  const session = await seedSession(database(), me);
  assert.equal((await remove(session, { confirmation: me.slug })).status, 204);
  const closed = { isArchived: true, visibility: 'private', isDeleted: false };
  assert.deepEqual(await projectsOf(database(), me.accountId), [closed, closed, closed]);
  await assert.rejects(seedProject(database(), { accountId: me.accountId }), { fault: 'account_suspended' });

  let running = 1;
  const canceled: string[] = [];
  const work: CancelableWork = {
    kind: 'training_jobs',
    countRunning: async () => running,
    cancelAll: async ({ accountId, id }) => {
      if (accountId === me.accountId) canceled.push(id);
    },
  };
  await removalWith([work]).runAll();
  assert.equal(new Set(canceled).size, 3);
  assert.deepEqual(await projectsOf(database(), me.accountId), [closed, closed, closed]);
  running = 0;
  // The process dies after the first project; another one goes on.
  const dying: CancelableWork = {
    ...work,
    cancelAll: async (project) => {
      await work.cancelAll(project);
      assert.ok(canceled.length < 5, 'it dies here');
    },
  };
  await makeDue(me.accountId);
  await assert.rejects(removalWith([dying]).runAll(), /it dies here/);
  assert.deepEqual(
    (await projectsOf(database(), me.accountId)).map(({ isDeleted }) => isDeleted),
    [true, false, false],
  );
  await makeDue(me.accountId);
  await Promise.all([removalWith([work]).runAll(), removalWith([work]).runAll()]);
  assert.deepEqual(
    (await projectsOf(database(), me.accountId)).map(({ isDeleted }) => isDeleted),
    [true, true, true],
  );
  // What was in flight has ended, so nothing more comes.
  await database().query(`update accounts set deleted_at = deleted_at - interval '1 hour' where id = $1`, [
    me.accountId,
  ]);
  await makeDue(me.accountId);
  await removalWith().runAll();
  const [row] = await database().query('select removal_due_at from accounts where id = $1', [me.accountId]);
  assert.deepEqual(row, { removal_due_at: null });
  assert.deepEqual(
    (await projectsOf(database(), other.accountId)).map(({ isDeleted }) => isDeleted),
    [false, false],
  );
});

test('shares go in both directions, also when two accounts that share with each other are deleted at once', async () => {
  const [ada, bob, eve] = [await person(), await person(), await person()];
  for (const [owner, friend] of [
    [ada, bob],
    [bob, ada],
    [ada, eve],
    [eve, ada],
    [bob, eve],
  ] as const)
    await database().query(
      `insert into model_shares (id, hosted_model_id, project_id, account_id)
       select 'shr-' || h.id || $2, h.id, h.project_id, $2 from hosted_models h join projects p on p.id = h.project_id
        where p.account_id = $1`,
      [owner.accountId, friend.accountId],
    );
  const left = async () => {
    const [row] = await database().query<{ shares: number }>('select count(*)::integer as shares from model_shares');
    return row?.shares;
  };
  assert.equal(await left(), 10);
  const answers = await Promise.all([ada, bob].map(({ session, slug }) => remove(session, { confirmation: slug })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  );
  assert.equal(await left(), 0);
  assert.equal(await statusWith(bearer(eve.key)), 200);
});
