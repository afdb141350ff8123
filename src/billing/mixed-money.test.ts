import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Micro, newId, systemClock } from '#kernel';
import { createTestDatabase } from '#test/database.ts';
import { randomOfRun } from '#test/random.ts';
import { assertBooksAreRight, chargeFor, countHolds, openAccount } from './billing.fixture.ts';
import { createBilling } from './billing.ts';
import { grant } from './grants.ts';
import { closeMonth } from './months/ledger-months.ts';
import { placeTrainingHold, releaseTrainingHold, settleTraining } from './training-money.store.ts';
import { createUsageSums } from './usage/summing.ts';
import { chargeWork } from './work-charges.store.ts';

const { integer, pick } = randomOfRun();
const pg = await createTestDatabase({ maxConnections: 20 });
const { database } = pg;
after(pg.drop);

const heldMicro = 1_000n;
// One has nothing, some run out on the way, and for the last ones servers keep tills.
const accounts = await Promise.all(
  [0n, 5_000n, 60_000n, 100_000_000n, 100_000_000n].map((m) => openAccount(database, m)),
);
const servers = [1, 2, 3].map(() =>
  createBilling({
    database,
    instanceId: newId('ins'),
    clock: systemClock,
    timing: { tillIdleMs: 50, tillWaitMs: 100 },
  }),
);
/** What each request was told that it paid. */
const told = new Map<string, Micro>();

async function call(accountId: string): Promise<void> {
  const [billing, other] = [pick(servers), pick(servers)];
  const charge = chargeFor(accountId, { units: 1 + integer(12), heldMicro });
  const { requestId } = charge;
  if ((await billing.hold({ requestId, accountId, micro: heldMicro })) !== 'held') return;
  if (integer(6) === 0) return billing.release(requestId);
  const settled = [billing.settle(charge), ...(integer(4) === 0 ? [billing.settle(charge), other.settle(charge)] : [])];
  for (const { chargedMicro } of await Promise.all(settled)) {
    assert.equal(told.get(requestId) ?? chargedMicro, chargedMicro, 'one charge has one answer');
    told.set(requestId, chargedMicro);
  }
}

async function work(accountId: string): Promise<void> {
  const billing = pick(servers);
  const charge = chargeFor(accountId, { units: 1 + integer(12), heldMicro });
  const { requestId } = charge;
  if ((await billing.holdForWork({ requestId, accountId, micro: heldMicro })) !== 'held') return;
  const isGivenUp = integer(3) === 0;
  const paid = database.transaction(async (tx) => {
    const micro = await chargeWork(tx, { ...charge, type: 'inference', holdId: requestId });
    if (isGivenUp) throw new Error('given up');
    return micro;
  });
  await paid.then(
    (micro) => void told.set(requestId, micro),
    (error) => assert.equal(error.message, 'given up'),
  );
  await billing.endWork({ requestId, accountId });
}

async function train(accountId: string): Promise<void> {
  const attempt = { accountId, jobId: newId('job'), attempt: 1 };
  await pick(servers).gather(accountId);
  const answer = await database.transaction((tx) => placeTrainingHold(tx, { ...attempt, micro: heldMicro }));
  if (answer !== 'held') return;
  if (integer(2) === 0) return database.transaction((tx) => releaseTrainingHold(tx, attempt));
  const { projectId, rateMicroPerMinute, priceVersion } = chargeFor(accountId);
  const cost = { baseModelId: 'base', activeMs: integer(1_000), rateMicroPerMinute, priceVersion, heldMicro };
  const settlement = { ...attempt, ...cost, projectId, key: null, outcome: 'succeeded', note: null } as const;
  await database.transaction((tx) => settleTraining(tx, settlement));
}

async function give(accountId: string): Promise<void> {
  await grant(database, { accountId, micro: BigInt(1 + integer(3_000)), note: null, onceKey: `once ${integer(20)}` });
}

const steps = [call, call, call, call, call, call, work, train, give];

async function many(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await pick(steps)(pick(accounts));
}

/** Lets the ledger go on in the next month, and takes the one before out of the books while charges go on. */
async function endMonths(months: readonly { start: string }[]): Promise<void> {
  const sums = createUsageSums({ database, lowMicro: 1_000n });
  for (const [index, { start }] of months.entries()) {
    await many(20);
    await database.query('select turn_ledger($1)', [start]);
    // Who has drawn a number of the month before has its account locked. Months that are closed in earnest are over for long.
    await database.query('select from accounts order by id for no key update');
    await sums.catchUp();
    const before = months[index - 1];
    if (before) await closeMonth(database, new Date(`${before.start}T00:00:00Z`));
  }
  await sums.catchUp();
  await sums.stop();
}

test('calls, work, training and grants on three servers leave the books right, also of months that are closed meanwhile', async () => {
  const months = await database.query<{ start: string }>(
    `select add_month('ledger', 'seq', start), start::text
       from (select (month_of(now()) + make_interval(months => ahead))::date as start from generate_series(0, 4) ahead) coming`,
  );
  await Promise.all([...Array.from({ length: 16 }, () => many(40)), endMonths(months)]);
  await Promise.all(servers.map((billing) => billing.stop()));
  assert.equal(await countHolds(database), 0);
  const rows = await database.query<{ request_id: string; paid: Micro }>(
    `select request_id, -micro as paid from ledger_once where type = 'inference'`,
  );
  assert.ok(rows.length > 0);
  assert.deepEqual(new Map(rows.map(({ request_id, paid }) => [request_id, paid])), told);
  await assertBooksAreRight(database);
});
