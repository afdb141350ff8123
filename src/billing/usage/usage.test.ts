import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { chargeAll, chargeFor, openAccount } from '#test/money.ts';
import { randomOfRun } from '#test/random.ts';
import { doctor } from '../doctor.ts';
import { grant } from '../grants.ts';
import { assertReadersAreRight } from './readers.fixture.ts';
import { createUsageSums, type UsageSums } from './summing.ts';
import { goingClock, randomFilter, randomTime, readWholeLedger, someModels, writeRandomRows } from './usage.fixture.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db.drop());

const database = () => db.database;

const { integer: randomInt } = randomOfRun();
const filtersAtOnce = 12;

/** Readers under many filters. */
async function readFor(accounts: readonly string[], rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++)
    await database().transaction(async (tx) => {
      await tx.query('set transaction isolation level repeatable read');
      const accountId = accounts[round % accounts.length] ?? '';
      const whole = await readWholeLedger(tx, accountId);
      for (let i = 0; i < filtersAtOnce; i++) await assertReadersAreRight(tx, randomFilter(accountId, whole), whole);
    });
}

const usageFindings = async () => (await doctor(database())).filter(({ check }) => check === 'usage');

const sums = (lowMicro = 1_000_000n, on: Database = database()): UsageSums =>
  createUsageSums({ database: on, lowMicro, timing: { pauseMs: 5, sweepMs: 100 } });

/** A process that dies at the end, every other time. */
const dying = (): Database => ({
  ...database(),
  transaction: (work) =>
    database().transaction(async (tx) => {
      const result = await work(tx);
      if (randomInt(2) === 0) throw new Error('killed before the commit');
      return result;
    }),
});

test('totals, groups and pages are those of the whole ledger, before, while and after it is summed up', async () => {
  const accounts = await Promise.all([1, 2, 3].map(() => openAccount(database(), 0n)));
  const clocks = [goingClock({ stepsBack: false }), goingClock({ stepsBack: true }), randomTime];
  const write = (index: number, count: number) =>
    writeRandomRows(database(), accounts[index] ?? '', { count, time: clocks[index] ?? randomTime });
  await Promise.all(accounts.map((_, index) => write(index, 300)));
  await readFor(accounts, 3);
  const replicas = [sums(), sums(), sums(undefined, dying())];
  for (const replica of replicas) replica.start();
  let writing = true;
  const writers = accounts.map(async (id, index) => {
    while (writing) {
      await write(index, 1 + randomInt(5));
      for (const replica of replicas) replica.changed.add(id);
      await sleep(15);
    }
  });
  await readFor(accounts, 9);
  writing = false;
  await Promise.all(writers);
  await Promise.all(replicas.map((replica) => replica.stop()));
  await sums().catchUp();
  const [unsummed] = await database().query(
    'select from usage_marks mark where exists (select from ledger where account_id = mark.account_id and seq > mark.seq)',
  );
  assert.equal(unsummed, undefined);
  await readFor(accounts, 9);
  assert.deepEqual(await usageFindings(), []);
});

test('the doctor finds sums and lists that are not those of the ledger', async () => {
  const accountId = await openAccount(database(), 1_000_000n);
  await writeRandomRows(database(), accountId, { count: 250 });
  await sums().catchUp();
  assert.deepEqual(await usageFindings(), []);
  for (const [table, change, back] of [
    ['usage_marks', 'rows = rows + 1', 'rows = rows - 1'],
    ['usage_hours', 'last_seq = last_seq + 1', 'last_seq = last_seq - 1'],
    ['usage_days', 'active_us = active_us + 1', 'active_us = active_us - 1'],
    ['usage_days', 'micro = micro + 1', 'micro = micro - 1'],
    ['usage_lists', 'micro = micro + 1', 'micro = micro - 1'],
    ['usage_lists', 'rows_before = rows_before + 1', 'rows_before = rows_before - 1'],
    ['usage_lists', 'seqs[1] = seqs[1] + 100000', 'seqs[1] = seqs[1] - 100000'],
  ] as const) {
    await database().query(`update ${table} set ${change}`);
    const findings = await usageFindings();
    assert.ok(findings.length > 0, change);
    await database().query(`update ${table} set ${back}`);
  }
  assert.deepEqual(await usageFindings(), []);
  for (const table of ['usage_hours', 'usage_days', 'usage_lists']) {
    await database().query(`create table kept as table ${table}`);
    await database().query(`delete from ${table}`);
    assert.ok((await usageFindings()).length > 0, table);
    await database().query(`insert into ${table} table kept`);
    await database().query('drop table kept');
  }
  assert.deepEqual(await usageFindings(), []);
});

test('chunks of lists fill up, however few rows each turn brings', async () => {
  const accountId = await openAccount(database(), 1_000_000n);
  for (let turn = 0; turn < 60; turn++) {
    await writeRandomRows(database(), accountId, { count: 1 + randomInt(90) });
    await sums().catchUp();
  }
  const chunks = await database().query<{ filled: number; is_last: boolean }>(
    `select cardinality(seqs) as filled, first_seq = max(first_seq) over (partition by list) as is_last
       from usage_lists where list = any(array(
         select usage_list($1, null, null, model) from unnest($2::text[]) as model))`,
    [accountId, someModels],
  );
  const done = chunks.filter(({ is_last: isLast }) => !isLast);
  assert.ok(done.length > 0);
  for (const { filled } of done) assert.ok(filled > 160, `${filled} in a chunk`);
});

test('what a long pause has left is summed up in one turn, in chunks that stay readable', async () => {
  const accountId = await openAccount(database(), 1_000_000n);
  await writeRandomRows(database(), accountId, {
    count: 9_000,
    time: goingClock({ stepsBack: true }),
    callsOnly: true,
  });
  await sums().catchUp();
  const [long] = await database().query<{ chunks: bigint; most: number }>(
    `select count(*) as chunks, max(cardinality(seqs)) as most
       from usage_lists where list = usage_list($1, null, null, $2)`,
    [accountId, someModels[0]],
  );
  assert.ok(long && long.chunks > 1n && long.most > 200 && long.most <= 1_000);
  await readFor([accountId], 1);
  assert.deepEqual(await usageFindings(), []);
});

test('a fall below the threshold is told once, by whichever replica sees it, and again after the next rise', async () => {
  const rate = 600_000n;
  const low = 5_000n;
  const accountId = await openAccount(database(), 0n);
  const told = async () => {
    const replicas = [sums(low), sums(low), sums(low)];
    await Promise.all(replicas.map((replica) => replica.catchUp()));
    const rows = await database().query<{ data: { balance: string; threshold: string } }>(
      `select data from activity where account_id = $1 and type = 'credits.low' order by id`,
      [accountId],
    );
    return rows.map(({ data }) => data);
  };
  const spend = (units: number) => chargeAll(database(), [chargeFor(accountId, { units, rate, heldMicro: 100_000n })]);
  const fall = (balance: string) => ({ balance, threshold: '0.005000' });

  assert.deepEqual(await told(), []);
  await grant(database(), { accountId, micro: 4_000n, note: null });
  assert.deepEqual(await told(), [], 'it never had more');
  await grant(database(), { accountId, micro: 4_000n, note: null });
  await spend(3);
  assert.deepEqual(await told(), [], 'exactly the threshold is enough');
  await spend(1);
  assert.deepEqual(await told(), [fall('0.004000')]);
  await spend(1);
  assert.deepEqual(await told(), [fall('0.004000')]);
  await grant(database(), { accountId, micro: 9_000n, note: null });
  await spend(9);
  assert.deepEqual(await told(), [fall('0.004000'), fall('0.003000')], 'up and down between two looks');
});
