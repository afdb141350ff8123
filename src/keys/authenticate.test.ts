import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { Fault, fault } from '#kernel';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { createKeyAuthenticator } from './authenticate.ts';
import { mintKey } from './key.ts';
import { setKeyActive } from './keys.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

function setUp(sql: Sql = db.database) {
  const counted = { statements: 0, seen: [] as string[] };
  const counting: Sql = {
    query: (...call) => {
      counted.statements++;
      return sql.query(...call);
    },
  };
  const usage = {
    seen: (keyId: string) => void counted.seen.push(keyId),
    flush: async () => {},
    start: () => {},
    stop: async () => {},
  };
  return { counted, authenticate: createKeyAuthenticator({ sql: counting, usage }) };
}

test('a key is its account, and a use is noted', async () => {
  const { accountId, slug } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId });
  const { authenticate, counted } = setUp();
  assert.deepEqual(await authenticate(bearer(key)), {
    accountId,
    accountSlug: slug,
    role: 'user',
    method: 'api_key',
    keyId,
    keyName: 'API key',
    sessionId: null,
  });
  assert.deepEqual(counted.seen, [keyId]);
});

test('a thousand requests of one turn cost two statements, and each gets its own answer', async () => {
  const owners = await Promise.all(Array.from({ length: 10 }, () => seedAccount(db.database)));
  const keys = await Promise.all(owners.map(({ accountId }) => seedKey(db.database, { accountId })));
  const { authenticate, counted } = setUp();
  const answers = await Promise.all(
    Array.from({ length: 1_000 }, (_, i) =>
      authenticate(bearer(i % 11 === 10 ? mintKey().key : (keys[i % 11]?.key ?? ''))),
    ),
  );
  for (const [i, answer] of answers.entries()) assert.equal(answer?.accountId, owners[i % 11]?.accountId);
  assert.equal(counted.statements, 2);
});

test('ten thousand guesses without a right checksum never reach the database', async () => {
  const { authenticate, counted } = setUp();
  const { key } = mintKey();
  for (let i = 0; i < 10_000; i++) {
    const at = 4 + (i % 49);
    const guess = `${key.slice(0, at)}${key[at] === 'x' ? 'y' : 'x'}${key.slice(at + 1)}`;
    assert.equal(await authenticate(bearer(guess)), null);
  }
  assert.deepEqual(counted, { statements: 0, seen: [] });
});

test('an inactive key and an unknown one are both nobody', async () => {
  const { accountId } = await seedAccount(db.database);
  const { key, keyId } = await seedKey(db.database, { accountId });
  await setKeyActive(db.database, { accountId, keyId }, false);
  const { authenticate } = setUp();
  assert.equal(await authenticate(bearer(key)), null);
  assert.equal(await authenticate(bearer(mintKey().key)), null);
  assert.equal(await authenticate({}), null);
});

test('a suspended account is told so', async () => {
  const { accountId } = await seedAccount(db.database);
  const { key } = await seedKey(db.database, { accountId });
  await db.database.query("update accounts set status = 'suspended' where id = $1", [accountId]);
  await assert.rejects(
    setUp().authenticate(bearer(key)),
    (error) => error instanceof Fault && error.fault === 'account_suspended',
  );
});

test('a database error does not make a key invalid', async () => {
  const outage: Sql = { query: () => Promise.reject(fault('service_unavailable', { retryAfterSeconds: 1 })) };
  await assert.rejects(
    setUp(outage).authenticate(bearer(mintKey().key)),
    (error) => error instanceof Fault && error.row.status === 503,
  );
});
