import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, newId } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { findKept, takeKey } from './idempotency.store.ts';
import { createIdempotency, type Idempotency } from './idempotency.ts';
import { fingerprintOf, hasIdempotencyKey, requireIdempotencyKey } from './request-identity.ts';

let pg: TestDatabase;
let accountId: string;

before(async () => {
  pg = await createTestDatabase();
  accountId = (await seedAccount(pg.database)).accountId;
});

after(() => pg?.drop());

/** A process that lives until `die`. */
async function createProcess(database = pg.database) {
  const instanceId = newId('ins');
  await database.query('insert into instances (id) values ($1)', [instanceId]);
  const idempotency = createIdempotency({ database, instanceId, registered: async () => {} });
  return { idempotency, die: () => database.query('delete from instances where id = $1', [instanceId]) };
}

const body = { name: 'lamps' };
const fingerprint = (of: unknown = body) => fingerprintOf({ method: 'POST', url: '/api/v1/things', body: of });
const answer = (text = '{"id":1}') => ({ status: 201, body: Buffer.from(text), sealed: false, charge: null });

function reserve(idempotency: Idempotency, key: string, of: unknown = body) {
  return idempotency.reserve({ accountId, key, fingerprint: fingerprint(of), requestId: newId('req') });
}

const isFault = (name: string) => (error: unknown) => (error as Fault).fault === name;

test('of equal requests at the same time in two processes one runs, and the others are told that it does', async () => {
  const [one, two] = [await createProcess(), await createProcess()];
  const key = randomUUID();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 50 }, (_, n) => reserve((n % 2 === 0 ? one : two).idempotency, key)),
  );
  const [won, ...more] = outcomes.filter((outcome) => outcome.status === 'fulfilled');
  assert.equal(more.length, 0);
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') assert.ok(isFault('idempotency_in_progress')(outcome.reason), outcome.reason);
  await won?.value.keep(answer());
  for (const { idempotency } of [one, two]) {
    const { kept, requestId } = await reserve(idempotency, key);
    assert.equal(kept?.body.toString(), '{"id":1}');
    assert.equal(kept?.status, 201);
    assert.equal(requestId, won?.value.requestId);
  }
});

test('a key that was used for another body or by another account is no repetition', async () => {
  const { idempotency } = await createProcess();
  const key = randomUUID();
  const first = await reserve(idempotency, key);
  await assert.rejects(reserve(idempotency, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  await first.keep(answer());
  await assert.rejects(reserve(idempotency, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  const other = await seedAccount(pg.database);
  const request = { accountId: other.accountId, key, fingerprint: fingerprint(), requestId: newId('req') };
  assert.equal((await idempotency.reserve(request)).kept, null);
});

test('a request that failed gives its key back, to another body too', async () => {
  const { idempotency } = await createProcess();
  const key = randomUUID();
  await (await reserve(idempotency, key)).release();
  assert.equal((await reserve(idempotency, key, { name: 'chairs' })).kept, null);
});

test('a request whose answer was not committed gives its key back at once, although the database was away', async () => {
  const outage = { isOn: false };
  const { idempotency } = await createProcess({
    ...pg.database,
    query: async (...statement) => {
      if (outage.isOn) throw new Error('The database is away.');
      return pg.database.query(...statement);
    },
  });
  const key = randomUUID();
  const first = await reserve(idempotency, key);
  const lost = pg.database.transaction(async (tx) => {
    await first.keep(answer(), tx);
    throw new Error('It was not committed.');
  });
  await assert.rejects(lost, /not committed/);
  outage.isOn = true;
  await first.release();
  outage.isOn = false;
  const second = await reserve(idempotency, key);
  assert.equal(second.kept, null);
  await assert.rejects(reserve(idempotency, key), isFault('idempotency_in_progress'));
});

test('a release after the answer was kept takes nothing away', async () => {
  const { idempotency } = await createProcess();
  const key = randomUUID();
  const first = await reserve(idempotency, key);
  await first.keep(answer());
  await first.release();
  assert.ok((await reserve(idempotency, key)).kept);
});

test('the key of a process that died passes to exactly one of those who ask for it, and what it kept stays kept', async () => {
  const [dead, alive, third] = [await createProcess(), await createProcess(), await createProcess()];
  const [key, keptKey] = [randomUUID(), randomUUID()];
  await reserve(dead.idempotency, key);
  await (await reserve(dead.idempotency, keptKey)).keep(answer('"kept"'));
  await assert.rejects(reserve(alive.idempotency, key), isFault('idempotency_in_progress'));
  await dead.die();
  await assert.rejects(reserve(alive.idempotency, key, { name: 'chairs' }), isFault('idempotency_conflict'));
  const takers = await Promise.allSettled(
    Array.from({ length: 20 }, (_, n) => reserve((n % 2 === 0 ? alive : third).idempotency, key)),
  );
  assert.equal(takers.filter(({ status }) => status === 'fulfilled').length, 1);
  assert.equal((await reserve(alive.idempotency, keptKey)).kept?.body.toString(), '"kept"');
});

test('a process that was taken for dead and was not cannot keep its answer any more', async () => {
  const [slow, quick] = [await createProcess(), await createProcess()];
  const key = randomUUID();
  const first = await reserve(slow.idempotency, key);
  await slow.die();
  const second = await reserve(quick.idempotency, key);
  await assert.rejects(first.keep(answer('"slow"')), isFault('idempotency_in_progress'));
  await first.release();
  await second.keep(answer('"quick"'));
  assert.equal((await reserve(slow.idempotency, key)).kept?.body.toString(), '"quick"');
});

test('a key is free again a day after it was used, and its row goes', async () => {
  const { idempotency } = await createProcess();
  const [key, other] = [randomUUID(), randomUUID()];
  await (await reserve(idempotency, key)).keep(answer());
  await (await reserve(idempotency, other)).keep(answer());
  const { database } = pg;
  const age = (interval: string) =>
    database.query(
      `update idempotent_requests set created_at = now() - interval '${interval}' where key = any($1::text[])`,
      [[key, other]],
    );
  await age('23 hours 59 minutes');
  assert.ok((await reserve(idempotency, key)).kept);
  await age('24 hours 1 minute');
  assert.equal((await reserve(idempotency, key, { name: 'chairs' })).kept, null);

  const swept = createIdempotency({ database, instanceId: newId('ins'), registered: async () => {}, tidyMs: 10 });
  swept.start();
  const rows = () => database.query('select from idempotent_requests where key = $1', [other]);
  for (let tries = 0; (await rows()).length > 0 && tries < 6_000; tries++) await sleep(10);
  await swept.stop();
  assert.equal((await rows()).length, 0);
});

test('a request takes its key once other processes can see that its own lives', async () => {
  const seen = Promise.withResolvers<void>();
  const unseen = createIdempotency({
    database: pg.database,
    instanceId: newId('ins'),
    registered: () => seen.promise,
  });
  const seenToo = await createProcess();
  const key = randomUUID();
  const early = reserve(unseen, key);
  const other = await reserve(seenToo.idempotency, key);
  await other.keep(answer('"other"'));
  seen.resolve();
  assert.equal((await early).kept?.body.toString(), '"other"');
});

test('a sweep gives back the keys of what its process has lost, and of nothing that runs', async () => {
  const { database } = pg;
  const instanceId = newId('ins');
  const idempotency = createIdempotency({ database, instanceId, registered: async () => {}, sweepMs: 10 });
  const [lost, running] = [randomUUID(), randomUUID()];
  await reserve(idempotency, running);
  const applicant = { accountId, key: lost, fingerprint: fingerprint(), requestId: newId('req'), instanceId };
  await takeKey(database, applicant);
  idempotency.start();
  for (let tries = 0; (await findKept(database, applicant)) && tries < 6_000; tries++) await sleep(10);
  assert.equal(await findKept(database, applicant), null);
  await assert.rejects(reserve(idempotency, running), isFault('idempotency_in_progress'));
  await idempotency.stop();
});

test('a process that stops gives back the keys of what has not ended', async () => {
  const [leaving, staying] = [await createProcess(), await createProcess()];
  const key = randomUUID();
  await reserve(leaving.idempotency, key);
  await leaving.idempotency.stop();
  assert.equal((await reserve(staying.idempotency, key)).kept, null);
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
