import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { newId } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import {
  findAccountByIdentity,
  findPasswordHolder,
  insertIdentity,
  putPassword,
  replacePassword,
  updateEmailVerified,
} from './identities.store.ts';
import { deleteSessions, findSession, findSessionOwners, insertSession, renewSession } from './sessions.store.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

const client = { userAgent: 'test' };

const old = 'hash of the old password';

async function seedPerson(): Promise<string> {
  const { accountId } = await seedAccount(db.database);
  await putPassword(db.database, accountId, old);
  return accountId;
}

const enter = (sql: Sql, accountId: string, passwordHash: string | null = old) =>
  insertSession(sql, { id: newId('ses'), accountId, digest: randomBytes(32), passwordHash, ...client });

async function changePassword(tx: Sql, accountId: string): Promise<void> {
  assert.ok(await replacePassword(tx, { accountId, from: old, to: 'hash of the new password' }));
  await deleteSessions(tx, accountId, null);
}

const sessionsOf = async (accountId: string) =>
  (await db.database.query('select from auth_sessions where account_id = $1', [accountId])).length;

/** Runs `second` while the transaction of `first` is open, and gives what it came to after the commit. */
async function meet<T>(first: (tx: Sql) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
  const state = { isSettled: false };
  const outcome = await db.database.transaction(async (tx) => {
    await first(tx);
    const under = second().finally(() => {
      state.isSettled = true;
    });
    under.catch(() => {});
    await sleep(100);
    assert.equal(state.isSettled, false, 'the second waits for the first');
    return { under };
  });
  return outcome.under;
}

test('a change of the password waits for a sign-in with the old one, and ends its session', async () => {
  const accountId = await seedPerson();
  await meet(
    async (tx) => assert.ok(await enter(tx, accountId)),
    () => db.database.transaction((tx) => changePassword(tx, accountId)),
  );
  assert.equal(await sessionsOf(accountId), 0);
});

test('a sign-in whose password is being changed waits, and comes to nothing', async () => {
  const accountId = await seedPerson();
  const session = await meet(
    (tx) => changePassword(tx, accountId),
    () => enter(db.database, accountId),
  );
  assert.equal(session, false);
  assert.equal(await sessionsOf(accountId), 0);
});

test('sessions are for active accounts, with the password that is theirs if one was checked', async () => {
  const accountId = await seedPerson();
  assert.equal(await enter(db.database, accountId, 'another hash'), false);
  const { accountId: somebodyElse } = await seedAccount(db.database);
  await putPassword(db.database, somebodyElse, 'hash of the password of somebody else');
  assert.equal(await enter(db.database, accountId, 'hash of the password of somebody else'), false);
  assert.ok(await enter(db.database, accountId, null));
  await db.database.query("update accounts set status = 'suspended' where id = $1", [accountId]);
  assert.equal(await enter(db.database, accountId), false);
  assert.equal(await sessionsOf(accountId), 1);
});

test('an account has a hundred sessions at most, the newest', async () => {
  const accountId = await seedPerson();
  const ids = Array.from({ length: 104 }, () => newId('ses'));
  for (const id of ids)
    assert.ok(
      await insertSession(db.database, { id, accountId, digest: randomBytes(32), passwordHash: null, ...client }),
    );
  const rows = await db.database.query<{ id: string }>(
    'select id from auth_sessions where account_id = $1 order by created_at',
    [accountId],
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    ids.slice(4),
  );
});

test('sessions that have expired go when their account signs in again', async () => {
  const accountId = await seedPerson();
  for (let at = 0; at < 3; at++) await enter(db.database, accountId);
  await db.database.query("update auth_sessions set expires_at = now() - interval '1 s' where account_id = $1", [
    accountId,
  ]);
  assert.ok(await enter(db.database, accountId));
  assert.equal(await sessionsOf(accountId), 1);
});

test('a session that ends before its renewal comes stays ended', async () => {
  const { accountId } = await seedAccount(db.database);
  const [id, digest] = [newId('ses'), randomBytes(32)];
  await insertSession(db.database, { id, accountId, digest, passwordHash: null, ...client });
  await db.database.query("update auth_sessions set expires_at = now() - interval '1 ms' where id = $1", [id]);
  await renewSession(db.database, id);
  assert.equal((await findSessionOwners(db.database, [digest])).size, 0);
});

test('a session that is renewed renews no other', async () => {
  const { accountId } = await seedAccount(db.database);
  const [used, unused] = [newId('ses'), newId('ses')];
  for (const id of [used, unused])
    await insertSession(db.database, { id, accountId, digest: randomBytes(32), passwordHash: null, ...client });
  const soon = new Date(Date.now() + 3_600_000);
  await db.database.query('update auth_sessions set expires_at = $2 where account_id = $1', [accountId, soon]);
  await renewSession(db.database, used);
  const endOf = async (id: string) => (await findSession(db.database, id))?.expiresAt;
  assert.deepEqual(await endOf(unused), soon);
  assert.notDeepEqual(await endOf(used), soon);
});

test('a person of an identity provider stays with the account that came first', async () => {
  const [first, second] = [await seedAccount(db.database), await seedAccount(db.database)];
  const person = { issuer: 'https://id.example', subject: newId('ses'), passwordHash: null };
  assert.equal(await insertIdentity(db.database, { ...person, accountId: first.accountId }), true);
  assert.equal(await insertIdentity(db.database, { ...person, accountId: second.accountId }), false);
  assert.equal((await findAccountByIdentity(db.database, person.issuer, person.subject))?.id, first.accountId);
});

test('a password is replaced by who has proved the one that is there, not one from before', async () => {
  const accountId = await seedPerson();
  assert.equal(await replacePassword(db.database, { accountId, from: old, to: 'second' }), true);
  assert.equal(await replacePassword(db.database, { accountId, from: old, to: 'third' }), false);
  assert.equal((await findPasswordHolder(db.database, accountId))?.passwordHash, 'second');
});

test('an address that is verified verifies that of no other account', async () => {
  const seeded = [await seedAccount(db.database), await seedAccount(db.database)] as const;
  const isVerified = () =>
    db.database.query('select email_verified as is from accounts where id = any($1) order by id = $2 desc', [
      seeded.map(({ accountId }) => accountId),
      seeded[0].accountId,
    ]);
  assert.deepEqual(await isVerified(), [{ is: false }, { is: false }]);
  await updateEmailVerified(db.database, seeded[0].accountId);
  assert.deepEqual(await isVerified(), [{ is: true }, { is: false }]);
});
