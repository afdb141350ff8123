import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fault, newId, systemClock } from '#kernel';
import type { CallLimits, LimitedSubject } from '#limits';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { chargeFor, openAccount } from '#test/money.ts';
import { deleteUnusedCounters } from './answers.store.ts';
import { type Calls, createCalls } from './calls.ts';
import { reapServers } from './servers.store.ts';

await awayFromMidnight();

let pg: TestDatabase;
/** Accounts that can pay for anything and have no calls. */
const accounts: string[] = [];

before(async () => {
  pg = await createTestDatabase({ maxConnections: 12 });
  for (let n = 0; n < 20; n++) accounts.push(await openAccount(pg.database, 1_000_000_000n));
});

after(() => pg?.drop());

const noon = Date.parse('2026-03-04T12:00:00.500Z');

/** A server that lives until `die`, with a clock of its own. */
async function createProcess(time: { ms: number | null } = { ms: noon }) {
  const { database } = pg;
  const serverId = newId('ins');
  const now = () => (time.ms === null ? null : new Date(time.ms));
  const calls = createCalls({ database, serverId, clock: systemClock, now });
  await calls.registered();
  return {
    calls,
    die: () => reapServers(database, [{ id: serverId, seenAt: null }]),
    comeBack: () => database.query('insert into instances (id) values ($1)', [serverId]),
    forget: () => database.query('delete from instances where id = $1', [serverId]),
  };
}

const nextAccount = () => accounts.pop() ?? assert.fail();

const subject = (limits: Partial<CallLimits>, scope: 'key' | 'account' = 'key'): LimitedSubject => ({
  scope,
  id: scope === 'key' ? newId('key') : nextAccount(),
  limits: { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null, ...limits },
});

/** Whose calls count towards no limit of their account. */
const payer = () => (accounts[0] ??= assert.fail());

type Pass = { headers: Record<string, string>; leave: () => Promise<void>; pay: (micro: bigint) => Promise<void> };

async function enter(calls: Calls, subjects: LimitedSubject[], micro = 0n, requestId = newId('req')): Promise<Pass> {
  const account = subjects.find(({ scope }) => scope === 'account');
  const keyId = subjects.find(({ scope }) => scope === 'key')?.id ?? null;
  const target = { accountId: account?.id ?? payer(), project: null, model: null, key: null };
  const call = calls.open({ id: requestId, operation: 'chat.create', target });
  try {
    const begun = await call.begin({ keyId, heldMicro: micro, limits: subjects, idempotency: null });
    assert(begun.state === 'begun');
    const { callId: _, accountId: __, operation: ___, ...charge } = chargeFor(target.accountId, { requestId });
    return {
      headers: begun.headers,
      leave: () => call.close(),
      async pay(cost) {
        // A micro-credit for each unit of 100 ms.
        await call.end({ ...charge, keyId, heldMicro: micro, rateMicroPerMinute: 600n, activeMs: Number(cost) * 100 });
        await call.close();
      },
    };
  } catch (error) {
    await call.close();
    throw error;
  }
}

function refusalOf(outcome: PromiseSettledResult<Pass>): Fault['options'] | null {
  if (outcome.status === 'fulfilled') return null;
  assert.equal((outcome.reason as Fault).fault, 'rate_limited', String(outcome.reason));
  return (outcome.reason as Fault).options;
}

const attempt = async (...asked: Parameters<typeof enter>) =>
  refusalOf((await Promise.allSettled([enter(...asked)]))[0])?.details?.['limit'] ?? 'in';

test('of 256 calls at once in two processes, exactly as many come in as may run at a time', async () => {
  const [one, two] = [await createProcess(), await createProcess()];
  const subjects = [subject({ concurrentRequests: 10 })];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).calls, subjects)),
  );
  const passes = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  assert.equal(passes.length, 10);
  const refused = outcomes.map(refusalOf).filter((options) => options !== null);
  assert.equal(refused.length, 246);
  for (const { headers, retryAfterSeconds } of refused) {
    assert.deepEqual(headers, { 'ratelimit-limit': '10', 'ratelimit-remaining': '0', 'ratelimit-reset': '1' });
    assert.equal(retryAfterSeconds, 1);
  }
  await passes[0]?.leave();
  assert.equal(await attempt(two.calls, subjects), 'in');
  assert.equal(await attempt(one.calls, subjects), 'concurrent_requests');
});

test('of 256 calls at once in two processes, exactly as many come in as a minute allows, and the next minute as many', async () => {
  const time = { ms: noon };
  const [one, two] = [await createProcess(time), await createProcess(time)];
  const subjects = [subject({ requestsPerMinute: 10 })];
  const rush = async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).calls, subjects)),
    );
    return outcomes.filter(({ status }) => status === 'fulfilled').length;
  };
  assert.equal(await rush(), 10);
  time.ms += 59_999;
  assert.equal(await rush(), 0);
  time.ms += 1;
  assert.equal(await rush(), 10);
});

test('the answer tells what is left of the minute, and a refusal when the next one begins', async () => {
  const time = { ms: noon };
  const { calls } = await createProcess(time);
  const subjects = [subject({ requestsPerMinute: 2 }), subject({ requestsPerMinute: 5 }, 'account')];
  const first = await enter(calls, subjects);
  assert.deepEqual(first.headers, {
    'ratelimit-limit': '2',
    'ratelimit-remaining': '1',
    'ratelimit-reset': '60',
  });
  time.ms += 20_400;
  assert.equal((await enter(calls, subjects)).headers['ratelimit-remaining'], '0');
  const [outcome] = await Promise.allSettled([enter(calls, subjects)]);
  const { message, retryAfterSeconds, headers } = refusalOf(outcome) ?? {};
  assert.equal(message, "This key's limit of requests a minute is 2. The next minute begins in 40 s.");
  assert.equal(retryAfterSeconds, 40);
  assert.equal(headers?.['ratelimit-reset'], '40');
});

test('a call that one limit refuses counts against none of the others', async () => {
  const { calls } = await createProcess();
  const account = subject({ requestsPerMinute: 3 }, 'account');
  const [full, free] = [subject({ concurrentRequests: 1 }), subject({ concurrentRequests: 9 })];
  assert.equal(await attempt(calls, [full, account]), 'in');
  for (let n = 0; n < 5; n++) assert.equal(await attempt(calls, [full, account]), 'concurrent_requests');
  assert.equal(await attempt(calls, [free, account]), 'in');
  assert.equal(await attempt(calls, [free, account]), 'in');
  assert.equal(await attempt(calls, [free, account]), 'requests_per_minute');
});

test('a clock that jumps back does not close a limit, and a small difference between clocks does not open it', async () => {
  const time = { ms: noon };
  const { calls } = await createProcess(time);
  const subjects = [subject({ requestsPerMinute: 1 })];
  assert.equal(await attempt(calls, subjects), 'in');
  time.ms = noon - 5_000;
  assert.equal(await attempt(calls, subjects), 'requests_per_minute');
  time.ms = noon - 3_600_000;
  assert.equal(await attempt(calls, subjects), 'in');
});

test('credits of a day count as reserved while a call runs, and as charged once it is over', async () => {
  const time = { ms: noon };
  const { calls } = await createProcess(time);
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const pass = await enter(calls, subjects, 900n);
  assert.equal(await attempt(calls, subjects, 101n), 'credits_per_day');
  await pass.pay(250n);
  assert.equal(await attempt(calls, subjects, 751n), 'credits_per_day');
  const failed = await enter(calls, subjects, 750n);
  assert.equal(await attempt(calls, subjects, 1n), 'credits_per_day');
  await failed.leave();
  assert.equal(await attempt(calls, subjects, 750n), 'in');
  const [outcome] = await Promise.allSettled([enter(calls, subjects, 1n)]);
  const { message, headers, details } = refusalOf(outcome) ?? {};
  assert.match(message ?? '', /limit of credits a day \(UTC\) is 0\.001000\. 0\.001000 are spent or reserved/);
  assert.equal(headers?.['ratelimit-reset'], String(12 * 3600));
  assert.deepEqual(details, { limit: 'credits_per_day', scope: 'key', reset_seconds: 12 * 3600 });
});

test('a new day begins with nothing spent but what still runs', async () => {
  const time = { ms: noon };
  const { calls } = await createProcess(time);
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  await (await enter(calls, subjects, 600n)).pay(600n);
  const second = await enter(calls, subjects, 400n);
  time.ms = Date.parse('2026-03-05T00:00:00Z');
  assert.equal(await attempt(calls, subjects, 601n), 'credits_per_day');
  await second.pay(100n);
  assert.equal(await attempt(calls, subjects, 901n), 'credits_per_day');
  assert.equal(await attempt(calls, subjects, 900n), 'in');
});

test('256 calls at once in two processes never reserve more than the day allows', async () => {
  const [one, two] = [await createProcess(), await createProcess()];
  const subjects = [subject({ creditsPerDayMicro: 1_050n }, 'account')];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).calls, subjects, 100n)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
});

test('calls of a process that died no longer run and reserve nothing', async () => {
  const [dead, alive] = [await createProcess(), await createProcess()];
  const subjects = [subject({ concurrentRequests: 1, creditsPerDayMicro: 1_000n })];
  await enter(dead.calls, subjects, 800n);
  assert.equal(await attempt(alive.calls, subjects), 'concurrent_requests');
  await dead.forget();
  await dead.die();
  assert.equal(await attempt(alive.calls, subjects, 1_001n), 'credits_per_day');
  assert.equal(await attempt(alive.calls, subjects, 1_000n), 'in');
});

test('a call counts with what it cost when its process was taken for dead, came back and charged it', async () => {
  const [lost, alive] = [await createProcess(), await createProcess()];
  const subjects = [
    subject({ concurrentRequests: 1, creditsPerDayMicro: 1_000n }),
    subject({ creditsPerDayMicro: 900n }, 'account'),
  ];
  const pass = await enter(lost.calls, subjects, 800n);
  await lost.forget();
  await lost.die();
  // Nothing is reserved for it meanwhile, and it does not run.
  await (await enter(alive.calls, subjects, 900n)).leave();
  await lost.comeBack();
  await pass.pay(300n);
  assert.equal(await attempt(alive.calls, subjects, 601n), 'credits_per_day');
  assert.equal(await attempt(alive.calls, subjects, 600n), 'in');
});

test('a charge that is sent again counts once', async () => {
  const { calls } = await createProcess();
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const pass = await enter(calls, subjects, 400n);
  await Promise.all([pass.pay(250n), pass.pay(250n)]);
  assert.equal(await attempt(calls, subjects, 751n), 'credits_per_day');
  assert.equal(await attempt(calls, subjects, 750n), 'in');
});

test('a counter goes once it has rested for two days, and not before', async () => {
  const { calls } = await createProcess();
  const subjects = [subject({ requestsPerMinute: 1 })];
  await (await enter(calls, subjects)).leave();
  for (const [days, outcome] of [
    [0, 'requests_per_minute'],
    [2, 'requests_per_minute'],
    [3, 'in'],
  ] as const) {
    await deleteUnusedCounters(pg.database, new Date(noon + days * 86_400_000));
    assert.equal(await attempt(calls, subjects), outcome, `after ${days} days`);
  }
});

test('two processes that let in and see out the same subjects never wait for each other in a circle', async () => {
  const processes = await Promise.all([createProcess(), createProcess(), createProcess()]);
  const keys = Array.from({ length: 5 }, () => subject({ concurrentRequests: 1000, creditsPerDayMicro: 10_000n }));
  const account = subject({ requestsPerMinute: 1_000_000 }, 'account');
  const work = async (calls: Calls, seed: number) => {
    for (let n = 0; n < 12; n++) {
      const key = keys[(n * 7 + seed) % keys.length];
      const subjects = n % 3 === 0 ? [account] : key ? [key, account] : [];
      await (await enter(calls, subjects, 1n)).leave();
    }
  };
  await Promise.all(processes.flatMap(({ calls }) => Array.from({ length: 10 }, (_, seed) => work(calls, seed))));
  const rows = await pg.database.query('select from calls where account_id = $1', [account.id]);
  assert.equal(rows.length, 0);
});
