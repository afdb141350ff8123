import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import Fastify from 'fastify';
import type { Sql } from '#db';
import { Fault } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { testPassword } from '#test/sessions.ts';
import { createIdentity } from './identity.ts';
import { signInWithPassword, signUpWithPassword } from './sign-in.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

const visit = (ip: string) => ({ ip, userAgent: null, requestId: 'req_test' });

/** `grantCredits` runs in the middle of the transaction that opens an account. */
function identityWith(grantCredits: (tx: Sql, accountId: string) => Promise<void>) {
  return createIdentity({
    database: db.database,
    secret: Buffer.alloc(32, 7),
    publicUrl: null,
    signUp: async () => 'open',
    oidc: null,
    grantCredits,
    log: Fastify({ logger: false }).log,
  }).signIn;
}

const ada = { email: 'ada@example.com', password: testPassword, slug: 'ada', displayName: null };

const countAll = async () => {
  const [row] = await db.database.query(
    `select (select count(*) from accounts) as accounts, (select count(*) from auth_identities) as identities,
            (select count(*) from auth_sessions) as sessions, (select count(*) from activity) as activity`,
  );
  return { ...(row as object) };
};

test('a sign-up that dies in the middle leaves nothing, and the same one succeeds afterwards', async () => {
  const deaths: ((tx: Sql) => Promise<unknown>)[] = [
    (tx) => tx.query('select pg_terminate_backend(pg_backend_pid())'),
    (tx) => tx.query('select 1 / 0'),
    () => Promise.reject(new Error('The process has had enough.')),
  ];
  for (const [at, die] of deaths.entries()) {
    const identity = identityWith(async (tx) => void (await die(tx)));
    await assert.rejects(signUpWithPassword(identity, ada, visit('192.0.2.1')), (error) => {
      if (at === 0) assert.equal(error instanceof Fault && error.fault, 'service_unavailable', String(error));
      return error instanceof Error;
    });
    assert.deepEqual(await countAll(), { accounts: 0n, identities: 0n, sessions: 0n, activity: 0n });
  }
  const identity = identityWith(async () => {});
  const session = await signUpWithPassword(identity, ada, visit('192.0.2.1'));
  assert.deepEqual(await countAll(), { accounts: 1n, identities: 1n, sessions: 1n, activity: 1n });
  const again = await signInWithPassword(identity, ada, visit('192.0.2.1'));
  assert.equal(again.accountId, session.accountId);
});

test('a sign-up whose answer was lost is told on the next try, and its password signs in', async () => {
  const identity = identityWith(async () => {});
  const bob = { ...ada, email: 'bob@example.com', slug: 'bob' };
  const lost = await signUpWithPassword(identity, bob, visit('192.0.2.2'));
  await assert.rejects(
    signUpWithPassword(identity, bob, visit('192.0.2.2')),
    (error) => error instanceof Fault && error.fault === 'email_taken',
  );
  const entered = await signInWithPassword(identity, bob, visit('192.0.2.2'));
  assert.equal(entered.accountId, lost.accountId);
});

test('more sign-ins than the limit are refused at once, and the others come in', async () => {
  const identity = identityWith(async () => {});
  const email = 'crowd@example.com';
  await signUpWithPassword(identity, { ...ada, email, slug: null }, visit('192.0.2.3'));
  const gate = { open: () => {} };
  const shut = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const held = Array.from({ length: 66 }, () => identity.passwords.gate(() => shut));
  await assert.rejects(
    signInWithPassword(identity, { email, password: testPassword }, visit('192.0.2.3')),
    (error) => error instanceof Fault && error.fault === 'service_unavailable',
  );
  gate.open();
  await Promise.all(held);
  await signInWithPassword(identity, { email, password: testPassword }, visit('192.0.2.3'));
});
