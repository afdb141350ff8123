import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { endCall, voidCalls } from '#calls';
import { type Micro, newId } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import {
  assertBooksAreRight,
  beginCall,
  chargeFor,
  countRunningCalls,
  openAccount,
  openTestServer,
} from '#test/money.ts';
import { randomOfRun } from '#test/random.ts';
import { grant } from './grants.ts';
import { moveMonthToPartitionBalances } from './months/ledger-months.ts';
import { createUsageSums } from './usage/summing.ts';

const { integer, pick } = randomOfRun();
const pg = await createTestDatabase({ maxConnections: 20 });
const { database } = pg;
after(pg.drop);

const heldMicro = 1_000n;
// One has nothing, and some run out on the way.
const accounts = await Promise.all(
  [0n, 5_000n, 60_000n, 100_000_000n, 100_000_000n].map((m) => openAccount(database, m)),
);
const servers = [1, 2, 3].map(() => openTestServer(database));
/** What each request was told that it paid. */
const told = new Map<string, Micro>();

async function call(accountId: string): Promise<void> {
  const [server, other] = [pick(servers), pick(servers)];
  const charge = chargeFor(accountId, { units: 1 + integer(12), heldMicro });
  const { requestId } = charge;
  if ((await server.begin(charge)) !== 'begun') return;
  if (integer(6) === 0) return server.void(requestId);
  const ends = [server.end(charge)];
  if (integer(4) === 0 && other !== server) ends.push(other.end(charge));
  for (const micro of await Promise.all(ends)) {
    assert.equal(told.get(requestId) ?? micro, micro, 'one charge has one answer');
    told.set(requestId, micro);
  }
}

/** Work that is charged in a transaction of its own. */
async function work(accountId: string): Promise<void> {
  const server = pick(servers);
  const charge = chargeFor(accountId, { units: 1 + integer(12), heldMicro });
  const { requestId } = charge;
  if ((await server.begin(charge)) !== 'begun') return;
  const isGivenUp = integer(3) === 0;
  const paid = database.transaction(async (tx) => {
    const micro = await endCall(tx, { charge, keyed: null });
    if (isGivenUp) throw new Error('given up');
    return micro;
  });
  await paid.then(
    (micro) => void told.set(requestId, micro),
    (error) => assert.equal(error.message, 'given up'),
  );
  await server.void(requestId);
}

async function train(accountId: string): Promise<void> {
  const jobId = newId('job');
  const callId = `${jobId}/1`;
  const begun = await database.transaction((tx) => beginCall(tx, { requestId: callId, accountId, heldMicro }));
  if (begun.outcome !== 'begun') return;
  if (integer(2) === 0) return database.transaction((tx) => voidCalls(tx, [callId]));
  const training = { type: 'training', callId, requestId: null, training: { jobId, attempt: 1 }, usage: null } as const;
  const charge = { ...chargeFor(accountId), ...training, heldMicro, activeMs: integer(1_000) };
  await database.transaction((tx) => endCall(tx, { charge, keyed: null }));
}

async function give(accountId: string): Promise<void> {
  await grant(database, { accountId, micro: BigInt(1 + integer(3_000)), note: null, onceKey: `once ${integer(20)}` });
}

const steps = [call, call, call, call, call, call, work, train, give];

async function many(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await pick(steps)(pick(accounts));
}

/** Begins the next month of the ledger, and moves the one before to the partition balances while charges go on. */
async function endMonths(months: readonly { start: string }[]): Promise<void> {
  const sums = createUsageSums({ database, lowMicro: 1_000n });
  for (const [index, { start }] of months.entries()) {
    await many(20);
    await database.query('select begin_ledger_month($1)', [start]);
    // Who has drawn a number of the month before has its account locked. In practice, months are moved long after their end.
    await database.query('select from accounts order by id for no key update');
    await sums.catchUp();
    const before = months[index - 1];
    if (before) await moveMonthToPartitionBalances(database, new Date(`${before.start}T00:00:00Z`));
  }
  await sums.catchUp();
  await sums.stop();
}

test('calls, work, training and grants on three servers leave the accounting right, also of months that are moved to partition balances meanwhile', async () => {
  const months = await database.query<{ start: string }>(
    `select add_month('ledger', 'seq', start), start::text
       from (select (month_of(now()) + make_interval(months => ahead))::date as start from generate_series(0, 4) ahead) coming`,
  );
  await Promise.all([...Array.from({ length: 16 }, () => many(40)), endMonths(months)]);
  await Promise.all(servers.map((server) => server.stop()));
  assert.equal(await countRunningCalls(database), 0);
  const rows = await database.query<{ request_id: string; paid: Micro }>(
    `select request_id, -micro as paid from ledger_once where type = 'inference'`,
  );
  assert.ok(rows.length > 0);
  assert.deepEqual(new Map(rows.map(({ request_id, paid }) => [request_id, paid])), told);
  await assertBooksAreRight(database);
});
