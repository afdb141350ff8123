import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql } from '#db';
import { type Fault, newId, systemClock } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { findByKey, storeAnswer } from './answers.store.ts';
import { beginCalls, type StoredAnswer } from './calls.store.ts';
import { type Calls, createCalls } from './calls.ts';
import { fingerprintOf, requireIdempotencyKey } from './idempotency-key.ts';
import { hasIdempotencyKey, keyWasLost } from './open-call.ts';

let pg: TestDatabase;
let accountId: string;

before(async () => {
  pg = await createTestDatabase();
  accountId = (await seedAccount(pg.database)).accountId;
});

after(() => pg?.drop());

/** A server that lives until `die`. */
function createServer(database = pg.database, cleanUpMs?: number) {
  const serverId = newId('ins');
  const timing = { heartbeatMs: 600_000, reapMs: 10, deadAfterMs: 600_000 };
  const calls = createCalls({ database, serverId, clock: systemClock, timing, ...(cleanUpMs ? { cleanUpMs } : {}) });
  return { serverId, calls, die: () => database.query('delete from instances where id = $1', [serverId]) };
}

const body = { name: 'lamps' };
const fingerprint = (of: unknown = body) => fingerprintOf({ method: 'POST', url: '/api/v1/things', body: of });
const answer = (text = '{"id":1}') => ({ status: 201, body: Buffer.from(text), isSealed: false });

type Reservation = {
  requestId: string;
  stored: StoredAnswer | null;
  store: (answer: StoredAnswer, sql?: Sql) => Promise<void>;
  release: () => Promise<void>;
};

async function reserve(calls: Calls, key: string, of: unknown = body, account = accountId): Promise<Reservation> {
  const requestId = newId('req');
  const target = { accountId: account, project: null, model: null, key: null };
  const call = calls.open({ id: requestId, operation: 'things.create', target });
  try {
    const idempotency = { key, fingerprint: fingerprint(of) };
    const begun = await call.begin({ keyId: null, heldMicro: 0n, limits: null, idempotency });
    assert(begun.state !== 'insufficient');
    if (begun.state === 'answered') await call.close();
    return {
      requestId: begun.state === 'answered' ? begun.requestId : requestId,
      stored: begun.state === 'answered' ? begun.answer : null,
      store: async (given, sql = pg.database) => {
        if (!(await storeAnswer(sql, requestId, given))) throw keyWasLost();
      },
      release: () => call.close(),
    };
  } catch (error) {
    await call.close();
    throw error;
  }
}

const isFault = (name: string) => (error: unknown) => (error as Fault).fault === name;

test('of equal requests at the same time in two processes one runs, and the others are told that it does', async () => {
  const [one, two] = [createServer(), createServer()];
  const key = randomUUID();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => reserve((n % 2 === 0 ? one : two).calls, key)),
  );
  const [won, ...more] = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(more.length, 0);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(isFault('idempotency_in_progress')(outcome.reason), outcome.reason);
  await won?.value.store(answer());
  for (const { calls } of [one, two]) {
    const { stored, requestId } = await reserve(calls, key);
    assert.equal(stored?.body.toString(), '{"id":1}');
    assert.equal(stored?.status, 201);
    assert.equal(requestId, won?.value.requestId);
  }
});

test('a key that was used for another body or by another account is no repetition', async () => {
  const { calls } = createServer();
  const key = randomUUID();
  const first = await reserve(calls, key);
  await assert.rejects(reserve(calls, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  await first.store(answer());
  await assert.rejects(reserve(calls, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  const other = await seedAccount(pg.database);
  assert.equal((await reserve(calls, key, body, other.accountId)).stored, null);
});

test('a request that failed gives its key back, to another body too', async () => {
  const { calls } = createServer();
  const key = randomUUID();
  await (await reserve(calls, key)).release();
  assert.equal((await reserve(calls, key, { name: 'chairs' })).stored, null);
});

test('a request whose answer was not committed gives its key back at once, although the database was away', async () => {
  const outage = { isOn: false };
  const { calls } = createServer({
    ...pg.database,
    query: async (...statement) => {
      if (outage.isOn) throw new Error('The database is away.');
      return pg.database.query(...statement);
    },
  });
  const key = randomUUID();
  const first = await reserve(calls, key);
  const lost = pg.database.transaction(async (tx) => {
    await first.store(answer(), tx);
    throw new Error('It was not committed.');
  });
  await assert.rejects(lost, /not committed/);
  outage.isOn = true;
  await first.release();
  outage.isOn = false;
  const second = await reserve(calls, key);
  assert.equal(second.stored, null);
  await assert.rejects(reserve(calls, key), isFault('idempotency_in_progress'));
});

test('a release after the answer was kept takes nothing away', async () => {
  const { calls } = createServer();
  const key = randomUUID();
  const first = await reserve(calls, key);
  await first.store(answer());
  await first.release();
  assert.ok((await reserve(calls, key)).stored);
});

test('the key of a process that died passes to exactly one of those who ask for it, and what it kept stays kept', async () => {
  const [dead, alive, third] = [createServer(), createServer(), createServer()];
  const [key, keptKey] = [randomUUID(), randomUUID()];
  await reserve(dead.calls, key);
  await (await reserve(dead.calls, keptKey)).store(answer('"kept"'));
  await assert.rejects(reserve(alive.calls, key), isFault('idempotency_in_progress'));
  await dead.die();
  await assert.rejects(reserve(alive.calls, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  const takers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => reserve((n % 2 === 0 ? alive : third).calls, key)),
  );
  assert.equal(takers.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await reserve(alive.calls, keptKey)).stored?.body.toString(), '"kept"');
});

test('a process that was taken for dead and was not cannot keep its answer any more', async () => {
  const [slow, quick] = [createServer(), createServer()];
  const key = randomUUID();
  const first = await reserve(slow.calls, key);
  await slow.die();
  const second = await reserve(quick.calls, key);
  await assert.rejects(first.store(answer('"slow"')), isFault('idempotency_in_progress'));
  await first.release();
  await second.store(answer('"quick"'));
  assert.equal((await reserve(slow.calls, key)).stored?.body.toString(), '"quick"');
});

test('a key is free again a day after it was used, and its row goes', async () => {
  const { calls } = createServer();
  const [key, other] = [randomUUID(), randomUUID()];
  await (await reserve(calls, key)).store(answer());
  await (await reserve(calls, other)).store(answer());
  const { database } = pg;
  const age = (interval: string) =>
    database.query(
      `update calls set created_at = now() - interval '${interval}' where idempotency_key = any($1::text[])`,
      [[key, other]],
    );
  await age('23 hours 59 minutes');
  assert.ok((await reserve(calls, key)).stored);
  await age('24 hours 1 minute');
  assert.equal((await reserve(calls, key, { name: 'chairs' })).stored, null);

  const swept = createServer(database, 10).calls;
  swept.start();
  const rows = () => database.query('select from calls where idempotency_key = $1', [other]);
  for (let tries = 0; (await rows()).length > 0 && tries < 6_000; tries++) await sleep(10);
  await swept.stop();
  assert.equal((await rows()).length, 0);
});

test('a request takes its key once other processes can see that its own lives', async () => {
  const seen = Promise.withResolvers<void>();
  const unseen = createServer({
    ...pg.database,
    query: async (text, values, options) => {
      if (options?.name === 'calls.renew_server') await seen.promise;
      return pg.database.query(text, values, options);
    },
  });
  const seenToo = createServer();
  const key = randomUUID();
  const early = reserve(unseen.calls, key);
  const other = await reserve(seenToo.calls, key);
  await other.store(answer('"other"'));
  seen.resolve();
  assert.equal((await early).stored?.body.toString(), '"other"');
});

test('the reaper gives back the keys of what its process has lost, and of nothing that runs', async () => {
  const { database } = pg;
  const { serverId, calls } = createServer();
  const [lost, running] = [randomUUID(), randomUUID()];
  await reserve(calls, running);
  const call = { operation: 'things.create', projectId: null, keyId: null, model: null, heldMicro: 0n, limits: null };
  const idempotency = { key: lost, fingerprint: fingerprint() };
  await beginCalls(database, [{ ...call, requestId: newId('req'), accountId, idempotency }], { serverId });
  calls.start();
  const find = () => findByKey(database, { accountId, key: lost });
  for (let tries = 0; (await find()) && tries < 6_000; tries++) await sleep(10);
  assert.equal(await find(), null);
  await assert.rejects(reserve(calls, running), isFault('idempotency_in_progress'));
  await calls.stop();
});

test('a process that stops gives back the keys of what has not ended', async () => {
  const [leaving, staying] = [createServer(), createServer()];
  const key = randomUUID();
  await reserve(leaving.calls, key);
  await leaving.calls.stop();
  assert.equal((await reserve(staying.calls, key)).stored, null);
});

test('the same request is the same path and body, whatever stands behind the question mark', () => {
  const of = (url: string, method = 'POST') => fingerprintOf({ method, url, body }).toString('hex');
  assert.equal(of('/a'), of('/a?x=1'));
  assert.notEqual(of('/a'), of('/b'));
  assert.notEqual(of('/a'), of('/a', 'PUT'));
});

test('a key that is empty, too long or not ASCII is refused by name', () => {
  assert.equal(hasIdempotencyKey({}), false);
  assert.equal(hasIdempotencyKey({ 'idempotency-key': '' }), true);
  assert.equal(requireIdempotencyKey({ 'idempotency-key': 'k'.repeat(128) }), 'k'.repeat(128));
  for (const key of ['', 'k'.repeat(129), 'tab\t', 'h\u00e9'])
    assert.throws(
      () => requireIdempotencyKey({ 'idempotency-key': key }),
      (error) => isFault('invalid_request')(error) && (error as Fault).options.param === 'Idempotency-Key',
    );
});
