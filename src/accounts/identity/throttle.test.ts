import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '#db';
import { Fault } from '#kernel';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { forgiveSignIn, takePasswordTry, takeSignInTry, takeSignUpTry } from './throttle.ts';

/** Two pools on one database, as two replicas have them. */
let db: TestDatabase;
let replicas: [Database, Database];

before(async () => {
  db = await createTestDatabase();
  replicas = [db.database, await openDatabase({ url: db.url, maxConnections: 10 })];
});

after(async () => {
  await replicas?.[1].close();
  await db?.drop();
});

/** How many of these tries are taken; anything but a refusal for the number of tries fails. */
async function taken(tries: readonly Promise<void>[]): Promise<number> {
  const settled = await Promise.allSettled(tries);
  for (const each of settled)
    if (each.status === 'rejected')
      assert.ok(each.reason instanceof Fault && each.reason.fault === 'rate_limited', String(each.reason));
  return settled.filter(({ status }) => status === 'fulfilled').length;
}

const many = (count: number, attempt: (at: number, replica: Database) => Promise<void>) =>
  taken(Array.from({ length: count }, (_, at) => attempt(at, replicas[at % 2] ?? db.database)));

/** As if all that happened until now had happened so much earlier. */
async function wait(seconds: number): Promise<void> {
  await db.database.query(
    `update auth_tries set expires_at = expires_at - make_interval(secs => $1),
       tries = array(select at - make_interval(secs => $1) from unnest(tries) as at)`,
    [seconds],
  );
}

test('of a hundred tries at the same time on two replicas exactly five are taken', async () => {
  const ip = '192.0.2.1';
  assert.equal(await many(100, (_, replica) => takeSignInTry(replica, { email: 'race@example.com', ip })), 5);
  assert.equal(await many(100, (_, replica) => takePasswordTry(replica, 'acc_race')), 5);
});

test('tries are counted in any 15 minutes, and Retry-After says when the next is free', async () => {
  const attempt = () => takePasswordTry(db.database, 'acc_span');
  assert.equal(await taken([attempt(), attempt()]), 2);
  await wait(600);
  assert.equal(await taken([attempt(), attempt(), attempt()]), 3);
  await assert.rejects(attempt(), (error) => {
    assert.ok(error instanceof Fault);
    const { 'retry-after': retryAfter, ...headers } = error.options.headers ?? {};
    assert.ok(Number(retryAfter) >= 295 && Number(retryAfter) <= 300, retryAfter);
    assert.deepEqual(headers, { 'ratelimit-limit': '5', 'ratelimit-remaining': '0', 'ratelimit-reset': retryAfter });
    return true;
  });
  await wait(301);
  assert.equal(await taken([attempt(), attempt(), attempt()]), 2, 'the first two are older than 15 minutes');
});

test('a refused try counts nowhere, so hammering one way of signing in locks no other', async () => {
  const email = 'owner@example.com';
  assert.equal(await many(40, (_, replica) => takeSignInTry(replica, { email, ip: '192.0.2.2' })), 5);
  assert.equal(await many(5, (_, replica) => takeSignInTry(replica, { email, ip: '192.0.2.3' })), 5);
  const others = (at: number) => ({ email: `other-${at}@example.com`, ip: '192.0.2.2' });
  assert.equal(
    await many(60, (at, replica) => takeSignInTry(replica, others(at))),
    45,
    'fifty from one address in all',
  );
});

test('many addresses together get twenty tries at one account', async () => {
  const spread = (at: number) => ({ email: 'spread@example.com', ip: `198.51.100.${at}` });
  assert.equal(await many(60, (at, replica) => takeSignInTry(replica, spread(at))), 20);
});

test('a right password forgets the tries of its account, and none of the others from its address', async () => {
  const ip = '192.0.2.4';
  const owner = { email: 'forgetful@example.com', ip };
  for (let round = 0; round < 12; round++) {
    assert.equal(await many(4, (_, replica) => takeSignInTry(replica, owner)), 4, `round ${round}`);
    await takeSignInTry(db.database, owner);
    await forgiveSignIn(db.database, owner);
  }
  const rest = await many(10, (at, replica) => takeSignInTry(replica, { email: `next-${at}@example.com`, ip }));
  assert.equal(rest, 50 - 12 * 4, 'the failures stay on the account of the address');
});

test('one IPv6 network is one address, and an IPv4 address is itself in either spelling', async () => {
  const inNetwork = (at: number) => `2001:db8:1:2:${(at + 1).toString(16)}::${at}`;
  assert.equal(await many(30, (at, replica) => takeSignUpTry(replica, inNetwork(at))), 20);
  assert.equal(await many(5, (at, replica) => takeSignUpTry(replica, `2001:db8:1:3::${at}`)), 5);
  assert.equal(await many(30, (at, replica) => takeSignUpTry(replica, at % 2 ? '192.0.2.9' : '::ffff:192.0.2.9')), 20);
});

test('the table holds digests of what happened in the last 15 minutes, however much that was', async () => {
  await wait(10_000);
  for (let at = 0; at < 40; at++) await takeSignUpTry(db.database, `203.0.113.${at}`);
  const [row] = await db.database.query<{ all: number; old: number }>(
    'select count(*)::integer as all, count(*) filter (where expires_at < now())::integer as old from auth_tries',
  );
  assert.deepEqual(row, { all: 40, old: 0 });
});
