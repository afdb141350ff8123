import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Sql } from '#db';
import { type Clock, type Fault, fault, newId, systemClock } from '#kernel';
import { seedAccount, seedProject } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { beginCalls } from './calls.store.ts';
import { type CallsTiming, createCalls } from './calls.ts';
import type { LoggedRequest } from './request-log.store.ts';
import { createRequestLog } from './request-log.ts';

let pg: TestDatabase;
let account: { accountId: string; slug: string };
let project: { id: string; owner: string; slug: string };

before(async () => {
  pg = await createTestDatabase();
  account = await seedAccount(pg.database);
  const { projectId, slug } = await seedProject(pg.database, { accountId: account.accountId });
  project = { id: projectId, owner: account.slug, slug };
});

after(() => pg?.drop());

const nowMs = Date.now();
const day = 24 * 60 * 60_000;
type Options = {
  clock?: Clock;
  perMinute?: number;
  pauseMs?: number;
  maxWaiting?: number;
  cleanUpMs?: number;
  timing?: Partial<CallsTiming>;
};

function create(options: Options = {}, serverId = newId('ins')) {
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  return createCalls({ database: pg.database, serverId, clock, ...options });
}

const target = () => ({ accountId: account.accountId, project, model: 'chat', key: null });
const isNotFound = (error: unknown) => (error as Fault).fault === 'not_found';
const find = (requests: ReturnType<typeof create>, id: string) => requests.find({ id, accountId: account.accountId });

/** What a settlement leaves. */
async function charge(sql: Sql, id: string, outcome = 'succeeded'): Promise<void> {
  await sql.query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
       request_id, active_ms, units, rate_micro_per_minute, held_micro, outcome, operation, created_at)
     values ($1, $2, 'inference', -50, 0, $3, 'chat', 'tiny', $4, 41.6, 1, 30000, 50, $5, 'chat.create', $6)`,
    [newId('led'), account.accountId, project.id, id, outcome, new Date(nowMs + 7)],
  );
}

/** Waits until `isSo`. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 6_000; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.fail('It did not come about.');
}

const place = () => ({ owner: project.owner, slug: project.slug });
const untouched = {
  key: null,
  httpStatus: null,
  errorCode: null,
  errorMessage: null,
  promptTokens: null,
  completionTokens: null,
  firstTokenMs: null,
  totalMs: null,
  activeMs: 0,
  credits: '0.000000',
  finishedAt: null,
};

test('a call is received, then runs, then is what its ledger row says', async () => {
  const requests = create();
  const id = newId('req', nowMs);
  const call = { id, createdAt: new Date(nowMs), route: 'chat.create', project: place(), model: 'chat' };
  const track = requests.open({ id, operation: 'chat.create', target: target() });
  assert.deepEqual(await find(requests, id), { ...call, ...untouched, state: 'received' });
  track.running();
  assert.deepEqual(await find(requests, id), { ...call, ...untouched, state: 'running' });
  await charge(pg.database, id);
  await track.close();
  const paid = { ...untouched, activeMs: 42, credits: '0.000050', finishedAt: new Date(nowMs + 7) };
  for (const each of [requests, create()])
    assert.deepEqual(await find(each, id), {
      ...call,
      ...paid,
      state: 'succeeded',
      httpStatus: 200,
      errorCode: null,
    });
});

test('a call whose caller left is canceled, with what it cost', async () => {
  const id = newId('req', nowMs);
  await charge(pg.database, id, 'client_disconnected');
  const { state, httpStatus, credits } = await find(create(), id);
  assert.deepEqual([state, httpStatus, credits], ['canceled', null, '0.000050']);
});

test('a failed call is known to every process once it is written, and a later charge outweighs it', async () => {
  const requests = create();
  const id = newId('req', nowMs);
  const track = requests.open({ id, operation: 'chat.create', target: target() });
  track.failed({ state: 'unknown', httpStatus: 424, errorCode: 'ambiguous_transport', errorMessage: null });
  await track.close();
  await requests.stop();
  const failed = await find(create(), id);
  assert.deepEqual(failed, {
    id,
    createdAt: new Date(nowMs),
    route: 'chat.create',
    project: place(),
    model: 'chat',
    ...untouched,
    totalMs: 0,
    state: 'unknown',
    httpStatus: 424,
    errorCode: 'ambiguous_transport',
    finishedAt: new Date(nowMs),
  });
  await charge(pg.database, id);
  const { state, httpStatus, credits } = await find(create(), id);
  assert.deepEqual([state, httpStatus, credits], ['succeeded', 424, '0.000050']);
});

const beginOptions = { keyId: null, heldMicro: 0n, limits: null, idempotency: null };
const quick = { timing: { heartbeatMs: 600_000, reapMs: 20, deadAfterMs: 40 } };

test('a call that has begun is known to other processes, runs while its own lives, and is unknown once that is dead', async () => {
  const { database } = pg;
  const serverId = newId('ins');
  const working = create({}, serverId);
  const [id, receivedId] = [newId('req', nowMs), newId('req', nowMs)];
  const call = working.open({ id, operation: 'chat.create', target: target() });
  await call.begin(beginOptions);
  call.running();
  working.open({ id: receivedId, operation: 'chat.create', target: target() });
  const other = create({ ...quick, clock: systemClock });
  const stateOf = async (of: string) => (await find(other, of).catch(() => null))?.state ?? null;
  assert.equal(await stateOf(id), 'running');
  assert.equal(await stateOf(receivedId), null);
  const { route, project: called, model } = await find(other, id);
  assert.deepEqual([route, called, model], ['chat.create', place(), 'chat']);
  const stranger = await seedAccount(database);
  await assert.rejects(other.find({ id, accountId: stranger.accountId }), isNotFound);

  await database.query('delete from instances where id = $1', [serverId]);
  assert.equal(await stateOf(id), 'unknown');
  other.start();
  await until(async () => (await find(other, id)).finishedAt !== null);
  const { state, credits, route: kept } = await find(other, id);
  assert.deepEqual([state, credits, kept], ['unknown', '0.000000', 'chat.create']);
  await other.stop();
  assert.deepEqual(await database.query('select from calls where request_id = $1', [id]), []);
});

test('a process that was taken for dead and was not says itself how its call ended', async () => {
  const requests = create();
  const id = newId('req', nowMs);
  const call = { operation: 'chat.create', projectId: project.id, model: null, ...beginOptions };
  const { accountId } = account;
  await beginCalls(pg.database, [{ ...call, requestId: id, accountId }], { serverId: 'ins_dead' });
  const reaping = create({ ...quick, clock: systemClock });
  reaping.start();
  await until(async () => (await find(requests, id)).finishedAt !== null);
  await reaping.stop();
  requests
    .open({ id, operation: 'chat.create', target: target() })
    .failed({ state: 'failed', httpStatus: 500, errorCode: 'generation_failed', errorMessage: null });
  await requests.stop();
  assert.equal((await find(create(), id)).errorCode, 'generation_failed');
});

test('a call of another account is as unknown as one that never was', async () => {
  const requests = create();
  const other = await seedAccount(pg.database);
  const [id, failedId] = [newId('req', nowMs), newId('req', nowMs)];
  requests.open({ id, operation: 'chat.create', target: target() });
  requests
    .open({ id: failedId, operation: 'chat.create', target: target() })
    .failed({ state: 'failed', httpStatus: 402, errorCode: 'insufficient_credits', errorMessage: null });
  await charge(pg.database, id);
  for (const unknown of [id, failedId, newId('req', nowMs), 'req_1', "'; drop table ledger --"])
    await assert.rejects(requests.find({ id: unknown, accountId: other.accountId }), isNotFound);
});

/** Calls of the account that failed, each so long ago. */
async function failedAgo(...agesMs: number[]): Promise<string[]> {
  const requests = create();
  const ids = agesMs.map((ageMs) => newId('req', nowMs - ageMs));
  for (const id of ids)
    requests
      .open({ id, operation: 'chat.create', target: target() })
      .failed({ state: 'failed', httpStatus: 503, errorCode: 'model_warming', errorMessage: null });
  await requests.stop();
  return ids;
}

const arePresent = async (ids: readonly string[]) => {
  const rows = await pg.database.query<{ id: string }>('select id from request_log where id = any($1::text[])', [ids]);
  return ids.map((id) => rows.some((row) => row.id === id));
};

test('nothing is told of a call of more than 30 days ago', async () => {
  const [old = '', kept = ''] = await failedAgo(30 * day + 1, 30 * day - 1);
  assert.equal((await find(create(), kept)).httpStatus, 503);
  await assert.rejects(find(create(), old), isNotFound);
});

test('what is no longer told goes by the clock of the database, and not by that of a server that is years ahead', async () => {
  const ids = await failedAgo(1_000 * day, 29 * day, 0);
  const clock = { nowMs: () => nowMs + 10_000 * day, monotonicMs: () => 0 };
  const ahead = create({ cleanUpMs: 10, clock });
  ahead.start();
  await until(async () => (await arePresent(ids))[0] === false);
  await ahead.stop();
  assert.deepEqual(await arePresent(ids), [false, true, true]);
});

test('a flood of failures fills neither the memory nor the disk', async () => {
  const other = await seedAccount(pg.database);
  const ofOther = async () =>
    (await pg.database.query('select from request_log where account_id = $1', [other.accountId])).length;
  const flood = (requests: ReturnType<typeof create>, { accountId }: { accountId: string } = other) => {
    for (let n = 0; n < 100; n++)
      requests
        .open({ id: newId('req', nowMs), operation: 'chat.create', target: { ...target(), accountId } })
        .failed({ state: 'failed', httpStatus: 503, errorCode: 'capacity_unavailable', errorMessage: null });
  };
  const atMs = { now: 0 };
  const bounded = create({ perMinute: 10, pauseMs: 10, clock: { nowMs: () => nowMs, monotonicMs: () => atMs.now } });
  bounded.start();
  flood(bounded);
  await until(async () => (await ofOther()) === 10);
  atMs.now = 60_000;
  flood(bounded);
  await bounded.stop();
  assert.equal(await ofOther(), 20);
  const narrow = create({ maxWaiting: 10 });
  flood(narrow);
  // One account takes half of the places; the others have the rest.
  const neighbour = await seedAccount(pg.database);
  flood(narrow, neighbour);
  await narrow.stop();
  assert.equal(await ofOther(), 25);
  const rows = await pg.database.query('select from request_log where account_id = $1', [neighbour.accountId]);
  assert.equal(rows.length, 5);
});

test('a database that refuses does not keep a process from stopping', async () => {
  const away = { ...pg.database, query: () => Promise.reject(new Error('away')) };
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  const requests = createCalls({ database: away, serverId: newId('ins'), clock });
  requests
    .open({ id: newId('req', nowMs), operation: 'chat.create', target: target() })
    .failed({ state: 'failed', httpStatus: 503, errorCode: 'x', errorMessage: null });
  await requests.stop();
});

test('calls that a database which is away cannot write down are told of in lines that can be told together', async () => {
  const linesOf = async (error: Error) => {
    const lines: unknown[] = [];
    const away = { ...pg.database, query: () => Promise.reject(error) };
    const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
    const log = { warn: (line: object) => void lines.push(Object.keys(line)) };
    const requests = createRequestLog({ sql: away, clock, log });
    const row: LoggedRequest = {
      id: newId('req', nowMs),
      accountId: account.accountId,
      state: 'failed',
      operation: 'chat.create',
      projectId: project.id,
      keyId: null,
      keyName: null,
      model: 'chat',
      httpStatus: 503,
      errorCode: 'x',
      errorMessage: null,
      promptTokens: null,
      completionTokens: null,
      firstTokenMs: null,
      totalMs: 3,
      activeMs: 0,
      micro: 0n,
      finishedAt: new Date(nowMs),
    };
    requests.ended.byAccount.set(account.accountId, [row]);
    await requests.flush();
    return lines;
  };
  assert.deepEqual(await linesOf(fault('service_unavailable')), [['err', 'requests']]);
  assert.deepEqual(await linesOf(new Error('No such column')), [['err', 'requestId', 'requests']]);
});
