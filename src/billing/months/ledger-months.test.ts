import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPartitionMaintenance } from '#db';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { awayFromMidnight } from '#test/midnight.ts';
import { chargeAll, chargeFor, openAccount } from '#test/money.ts';
import { findAccountCredits } from '../credits/credits.store.ts';
import { doctor } from '../doctor.ts';
import { assertReadersAreRight } from '../usage/readers.fixture.ts';
import { createUsageSums } from '../usage/summing.ts';
import { goingClock, randomFilter, randomTime, readWholeLedger, writeRandomRows } from '../usage/usage.fixture.ts';
import { ledgerMonths, moveMonthToPartitionBalances } from './ledger-months.ts';

await awayFromMidnight();

const database = fileDatabase();

const monthOf = (month: string) => new Date(`${month}-01T00:00:00Z`);
const sums = () => createUsageSums({ database: database(), lowMicro: 1_000_000n });

/** Random rows have prices as random. */
const findings = async () => (await doctor(database())).map(({ check }) => check).filter((check) => check !== 'charge');

/** Lets the ledger go on in a month of the past, as if it were that time. */
async function turnBackTo(month: string): Promise<void> {
  await addMonth(month);
  await database().query(`select setval('ledger_numbers', ledger_month_start($1), false)`, [`${month}-01`]);
}

/** Never back: where the present has been turned to, only months behind it are left, so tests name those of another century. */
async function turnTo(month: string): Promise<void> {
  await addMonth(month);
  await database().query('select begin_ledger_month($1)', [`${month}-01`]);
}

async function addMonth(month: string): Promise<void> {
  await database().query(`select add_month('ledger', 'seq', $1), add_month('ledger_once', 'req', $1)`, [`${month}-01`]);
}

/** Readers see the rows from this month on and nothing else, and the parts of the credits add up. */
async function assertKept(accounts: readonly string[], month: string): Promise<void> {
  const [first] = await database().query<{ seq: bigint }>('select ledger_month_start($1) as seq', [`${month}-01`]);
  for (const accountId of accounts) {
    const kept = (await readWholeLedger(database(), accountId)).filter(({ seq }) => first && seq >= first.seq);
    assert.ok(kept.length > 0);
    for (let n = 0; n < 12; n++) await assertReadersAreRight(database(), randomFilter(accountId, kept), kept);
    const credits = await findAccountCredits(database(), accountId);
    const parts = Object.values(credits?.byType ?? {}).reduce((sum, micro) => sum + micro, 0n);
    assert.equal(parts, credits?.settledMicro);
  }
}

test('months that are gone from the ledger leave balances, usage, lists and the doctor right', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => openAccount(database(), 0n)));
  const clocks = [goingClock({ stepsBack: false }), goingClock({ stepsBack: true }), randomTime];
  const write = async (count: number) => {
    for (const [index, accountId] of accounts.entries())
      await writeRandomRows(database(), accountId, { count, time: clocks[index] ?? randomTime });
  };
  await turnBackTo('2026-03');
  await write(350);
  await sums().catchUp();
  await turnTo('2026-04');
  await write(250);
  await turnTo('2026-05');
  await write(150);
  assert.equal(
    await moveMonthToPartitionBalances(database(), monthOf('2026-04')),
    false,
    'some rows are not summed up yet',
  );
  await sums().catchUp();
  await assertKept(accounts, '2026-03');
  await write(20);

  assert.equal(await moveMonthToPartitionBalances(database(), monthOf('2026-03')), true);
  assert.deepEqual(await findings(), []);
  await assertKept(accounts, '2026-04');

  const clock = { nowMs: () => Date.UTC(2026, 5, 20), monotonicMs: () => 0 };
  const tables = ledgerMonths({ database: database(), clock, keepMonths: 1 });
  const replicas = [1, 2].map(() => createPartitionMaintenance({ database: database(), tables }));
  await Promise.all(replicas.map(({ run }) => run()));
  const months = await database().query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'ledger'::regclass order by 1`,
  );
  assert.equal(months[0]?.name, 'ledger_2026_05');
  const [archived] = await database().query<{ rows: number }>('select count(*)::integer as rows from ledger_2026_04');
  assert.equal(archived?.rows, 750, 'an ended month is a table of its own');
  assert.deepEqual(await findings(), []);
  await assertKept(accounts, '2026-05');

  await write(60);
  await sums().catchUp();
  assert.deepEqual(await findings(), []);
  await assertKept(accounts, '2026-05');
});

test('a request is charged once although a month begins between two attempts', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const charge = chargeFor(accountId, { requestId: newId('req') });
  const [paid] = await chargeAll(database(), [charge]);
  await turnTo('2127-02');
  assert.deepEqual(await chargeAll(database(), [charge]), [paid]);
  const other = chargeFor(accountId);
  assert.deepEqual(await chargeAll(database(), [other, charge]), [paid, paid]);
  assert.deepEqual(await findings(), []);
});

test('a month in which an account only spends is moved to its partition balance like any other', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const [first, second, third] = ['2127-02', '2127-03', '2127-04'] as const;
  for (const month of [second, third]) {
    await turnTo(month);
    await chargeAll(database(), [chargeFor(accountId), chargeFor(accountId)]);
  }
  await sums().catchUp();
  for (const month of [first, second])
    assert.equal(await moveMonthToPartitionBalances(database(), monthOf(month)), true);
  assert.equal(await moveMonthToPartitionBalances(database(), monthOf(first)), true, 'moved already');
  const balances = await database().query(
    'select micro, by_type from ledger_partition_balances where account_id = $1',
    [accountId],
  );
  assert.deepEqual(balances, [{ micro: 9_800n, by_type: { grant: 10_000, inference: -200 } }]);
  assert.deepEqual(await findings(), []);
});

test('a row that could be charged again is found', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const charge = chargeFor(accountId);
  await chargeAll(database(), [charge]);
  await database().query('delete from ledger_once where request_id = $1', [charge.requestId]);
  assert.deepEqual(await findings(), ['unguarded']);
});

test('rows of a month of the ledger cannot be changed in the month itself', async () => {
  await turnTo('2127-03');
  for (const statement of [
    'update ledger_2127_03 set micro = 0',
    'delete from ledger_2127_03',
    'truncate ledger_2127_03',
  ])
    await assert.rejects(database().query(statement), /insert-only/);
});
