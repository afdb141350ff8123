import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Fault, newId } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import type { CallLimits, LimitedSubject } from './call-limits.ts';
import { deleteRestingCounters } from './limiter.store.ts';
import { createLimiter, type Limiter, type Pass } from './limiter.ts';

await awayFromMidnight();

let pg: TestDatabase;

before(async () => {
  pg = await createTestDatabase({ maxConnections: 12 });
});

after(() => pg?.drop());

const noon = Date.parse('2026-03-04T12:00:00.500Z');

/** A process that lives until `die`, with a clock of its own. */
async function createProcess(time: { ms: number | null } = { ms: noon }) {
  const { database } = pg;
  const instanceId = newId('ins');
  await database.query('insert into instances (id) values ($1)', [instanceId]);
  const now = () => (time.ms === null ? null : new Date(time.ms));
  const limiter = createLimiter({ database, instanceId, registered: async () => {}, now });
  return {
    limiter,
    die: () => database.query('delete from instances where id = $1', [instanceId]),
    comeBack: () => database.query('insert into instances (id) values ($1)', [instanceId]),
  };
}

const subject = (limits: Partial<CallLimits>, scope: 'key' | 'account' = 'key'): LimitedSubject => ({
  scope,
  id: newId(scope === 'key' ? 'key' : 'acc'),
  limits: { requestsPerMinute: null, concurrentRequests: null, creditsPerDayMicro: null, ...limits },
});

const enter = (limiter: Limiter, subjects: LimitedSubject[], micro = 0n, requestId = newId('req')) =>
  limiter.enter({ requestId, micro, subjects });

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
    Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).limiter, subjects)),
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
  assert.equal(await attempt(two.limiter, subjects), 'in');
  assert.equal(await attempt(one.limiter, subjects), 'concurrent_requests');
});

test('of 256 calls at once in two processes, exactly as many come in as a minute allows, and the next minute as many', async () => {
  const time = { ms: noon };
  const [one, two] = [await createProcess(time), await createProcess(time)];
  const subjects = [subject({ requestsPerMinute: 10 })];
  const rush = async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).limiter, subjects)),
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
  const { limiter } = await createProcess(time);
  const subjects = [subject({ requestsPerMinute: 2 }), subject({ requestsPerMinute: 5 }, 'account')];
  const first = await enter(limiter, subjects);
  assert.deepEqual(first.headers, {
    'ratelimit-limit': '2',
    'ratelimit-remaining': '1',
    'ratelimit-reset': '60',
  });
  time.ms += 20_400;
  assert.equal((await enter(limiter, subjects)).headers['ratelimit-remaining'], '0');
  const [outcome] = await Promise.allSettled([enter(limiter, subjects)]);
  const { message, retryAfterSeconds, headers } = refusalOf(outcome) ?? {};
  assert.equal(message, "This key's limit of requests a minute is 2. The next minute begins in 40 s.");
  assert.equal(retryAfterSeconds, 40);
  assert.equal(headers?.['ratelimit-reset'], '40');
});

test('a call that one limit refuses counts against none of the others', async () => {
  const { limiter } = await createProcess();
  const account = subject({ requestsPerMinute: 3 }, 'account');
  const [full, free] = [subject({ concurrentRequests: 1 }), subject({ concurrentRequests: 9 })];
  assert.equal(await attempt(limiter, [full, account]), 'in');
  for (let n = 0; n < 5; n++) assert.equal(await attempt(limiter, [full, account]), 'concurrent_requests');
  assert.equal(await attempt(limiter, [free, account]), 'in');
  assert.equal(await attempt(limiter, [free, account]), 'in');
  assert.equal(await attempt(limiter, [free, account]), 'requests_per_minute');
});

test('a clock that jumps back does not close a limit, and a small difference between clocks does not open it', async () => {
  const time = { ms: noon };
  const { limiter } = await createProcess(time);
  const subjects = [subject({ requestsPerMinute: 1 })];
  assert.equal(await attempt(limiter, subjects), 'in');
  time.ms = noon - 5_000;
  assert.equal(await attempt(limiter, subjects), 'requests_per_minute');
  time.ms = noon - 3_600_000;
  assert.equal(await attempt(limiter, subjects), 'in');
});

/** What a settlement leaves. */
async function charge(requestId: string, micro: bigint): Promise<void> {
  const { accountId } = await seedAccount(pg.database);
  await pg.database.query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, request_id, active_ms, units,
       rate_micro_per_minute, held_micro, outcome)
     values ($1, $2, 'inference', $3, 0, $4, 100, 1, 30000, 50, 'succeeded')`,
    [newId('led'), accountId, -micro, requestId],
  );
}

test('credits of a day count as reserved while a call runs, and as charged once it is over', async () => {
  const time = { ms: noon };
  const { limiter } = await createProcess(time);
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const id = newId('req');
  const pass = await enter(limiter, subjects, 900n, id);
  assert.equal(await attempt(limiter, subjects, 101n), 'credits_per_day');
  await charge(id, 250n);
  await pass.leave();
  assert.equal(await attempt(limiter, subjects, 751n), 'credits_per_day');
  const failed = await enter(limiter, subjects, 750n);
  assert.equal(await attempt(limiter, subjects, 1n), 'credits_per_day');
  await failed.leave();
  assert.equal(await attempt(limiter, subjects, 750n), 'in');
  const [outcome] = await Promise.allSettled([enter(limiter, subjects, 1n)]);
  const { message, headers, details } = refusalOf(outcome) ?? {};
  assert.match(message ?? '', /limit of credits a day \(UTC\) is 0\.001000\. 0\.001000 are spent or reserved/);
  assert.equal(headers?.['ratelimit-reset'], String(12 * 3600));
  assert.deepEqual(details, { limit: 'credits_per_day', scope: 'key', reset_seconds: 12 * 3600 });
});

test('a new day begins with nothing spent but what still runs', async () => {
  const time = { ms: noon };
  const { limiter } = await createProcess(time);
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const [early, late] = [newId('req'), newId('req')];
  const first = await enter(limiter, subjects, 600n, early);
  await charge(early, 600n);
  await first.leave();
  const second = await enter(limiter, subjects, 400n, late);
  time.ms = Date.parse('2026-03-05T00:00:00Z');
  assert.equal(await attempt(limiter, subjects, 601n), 'credits_per_day');
  await charge(late, 100n);
  await second.leave();
  assert.equal(await attempt(limiter, subjects, 901n), 'credits_per_day');
  assert.equal(await attempt(limiter, subjects, 900n), 'in');
});

test('256 calls at once in two processes never reserve more than the day allows', async () => {
  const [one, two] = [await createProcess(), await createProcess()];
  const subjects = [subject({ creditsPerDayMicro: 1_050n }, 'account')];
  const outcomes = await Promise.allSettled(
    Array.from({ length: 256 }, (_, n) => enter((n % 2 === 0 ? one : two).limiter, subjects, 100n)),
  );
  assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 10);
});

test('calls of a process that died no longer run, and what they were charged counts', async () => {
  const [dead, alive] = [await createProcess(), await createProcess()];
  const subjects = [subject({ concurrentRequests: 1, creditsPerDayMicro: 1_000n })];
  const id = newId('req');
  await enter(dead.limiter, subjects, 800n, id);
  await charge(id, 300n);
  assert.equal(await attempt(alive.limiter, subjects), 'concurrent_requests');
  await dead.die();
  assert.equal(await attempt(alive.limiter, subjects, 201n), 'credits_per_day');
  await (await enter(alive.limiter, subjects, 200n)).leave();
  await alive.limiter.stop();
  const again = await createProcess();
  assert.equal(await attempt(again.limiter, subjects, 701n), 'credits_per_day');
  assert.equal(await attempt(again.limiter, subjects, 700n), 'in');
});

/** Somebody looks after calls that nobody sees out, as often as asked; two of them do it at once. */
async function sweep(): Promise<void> {
  const [one, two] = [await createProcess(), await createProcess()];
  await Promise.all([one.limiter.stop(), two.limiter.stop()]);
}

test('a call counts with what it cost when its process was taken for dead, came back and charged it', async () => {
  const [buried, alive] = [await createProcess(), await createProcess()];
  const subjects = [
    subject({ concurrentRequests: 1, creditsPerDayMicro: 1_000n }),
    subject({ creditsPerDayMicro: 900n }),
  ];
  const id = newId('req');
  const pass = await enter(buried.limiter, subjects, 800n, id);
  await buried.die();
  await sweep();
  // Nothing is reserved for it meanwhile, and it does not run.
  await (await enter(alive.limiter, subjects, 900n)).leave();
  await buried.comeBack();
  await charge(id, 300n);
  await pass.leave();
  await sweep();
  assert.equal(await attempt(alive.limiter, subjects, 601n), 'credits_per_day');
  assert.equal(await attempt(alive.limiter, subjects, 600n), 'in');
});

test('a call counts once, and with what it cost, however late and by whomever it is paid', async () => {
  const [dead, alive] = [await createProcess(), await createProcess()];
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const [ofDead, ofUnsure] = [newId('req'), newId('req')];
  await enter(dead.limiter, subjects, 400n, ofDead);
  const unsure = await enter(alive.limiter, subjects, 400n, ofUnsure);
  await dead.die();
  await unsure.setAside();
  await sweep();
  await (await enter(alive.limiter, subjects, 1_000n)).leave();
  for (const id of [ofDead, ofUnsure]) {
    await charge(id, 250n);
    await sweep();
    await sweep();
  }
  assert.equal(await attempt(alive.limiter, subjects, 501n), 'credits_per_day');
  assert.equal(await attempt(alive.limiter, subjects, 500n), 'in');
});

test('nothing waits for ever for a call that nobody will pay', async () => {
  const dead = await createProcess();
  const subjects = [subject({ creditsPerDayMicro: 1_000n })];
  const [old, young] = [newId('req', Date.now() - 49 * 3_600_000), newId('req', Date.now() - 47 * 3_600_000)];
  for (const id of [old, young]) await enter(dead.limiter, subjects, 1n, id);
  await dead.die();
  await sweep();
  await sweep();
  const rows = await pg.database.query<{ id: string }>(
    'select request_id as id from limited_calls where request_id = any($1)',
    [[old, young]],
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    [young],
  );
});

test('a counter goes once it has rested for two days, and not before', async () => {
  const { limiter } = await createProcess();
  const subjects = [subject({ requestsPerMinute: 1 })];
  await (await enter(limiter, subjects)).leave();
  for (const [days, outcome] of [
    [0, 'requests_per_minute'],
    [2, 'requests_per_minute'],
    [3, 'in'],
  ] as const) {
    await deleteRestingCounters(pg.database, new Date(noon + days * 86_400_000));
    assert.equal(await attempt(limiter, subjects), outcome, `after ${days} days`);
  }
});

test('two processes that let in and see out the same subjects never wait for each other in a circle', async () => {
  const processes = await Promise.all([createProcess(), createProcess(), createProcess()]);
  const keys = Array.from({ length: 5 }, () => subject({ concurrentRequests: 1000, creditsPerDayMicro: 10_000n }));
  const account = subject({ requestsPerMinute: 1_000_000 }, 'account');
  const work = async (limiter: Limiter, seed: number) => {
    for (let n = 0; n < 12; n++) {
      const key = keys[(n * 7 + seed) % keys.length];
      const subjects = n % 3 === 0 ? [account] : key ? [key, account] : [];
      await (await enter(limiter, subjects, 1n)).leave();
    }
  };
  await Promise.all(processes.flatMap(({ limiter }) => Array.from({ length: 10 }, (_, seed) => work(limiter, seed))));
  const rows = await pg.database.query('select from limited_calls where subject = $1', [account.id]);
  assert.equal(rows.length, 0);
});
