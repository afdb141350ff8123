import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endCall } from '#calls';
import { fileDatabase } from '#test/file-database.ts';
import { beginCall, chargeFor, openAccount } from '#test/money.ts';
import { countLeftHolds } from './doctor.store.ts';
import { doctor } from './doctor.ts';

const database = fileDatabase();

const renewServer = (id: string) =>
  database().query('insert into instances (id) values ($1) on conflict (id) do update set seen_at = now()', [id]);

async function accountWithCalls(): Promise<{ accountId: string; openId: string }> {
  const accountId = await openAccount(database(), 10_000n);
  await renewServer('ins_1');
  const [done, open] = [chargeFor(accountId, { units: 3 }), chargeFor(accountId)];
  for (const call of [done, open]) await beginCall(database(), call, 'ins_1');
  await endCall(database(), { charge: done, keyed: null });
  return { accountId, openId: open.requestId };
}

/** The checks that fail after a statement that the program itself could never run, which is undone again. */
async function checksAfter(...statements: string[]): Promise<string[]> {
  for (const text of statements) await database().query(text);
  const findings = await doctor(database());
  return findings.map(({ check }) => check).sort();
}

test('calls in flight and settled calls are in order', async () => {
  await accountWithCalls();
  assert.deepEqual(await doctor(database()), []);
});

test('a balance or a held amount that was changed by hand is found', async () => {
  const { accountId } = await accountWithCalls();
  const set = (change: string) => `update accounts set ${change} where id = '${accountId}'`;
  assert.deepEqual(await checksAfter(set('balance_micro = balance_micro + 1')), ['balance']);
  assert.deepEqual(await checksAfter(set('balance_micro = balance_micro - 1, held_micro = held_micro + 1')), ['held']);
  assert.deepEqual(await checksAfter(set('held_micro = held_micro - 1')), []);
});

test('a hold of a process that is gone is found, and names it', async () => {
  const { openId } = await accountWithCalls();
  await database().query(`insert into instances (id, seen_at) values ('ins_gone', now() - interval '20 seconds')`);
  await database().query(`update calls set server_id = 'ins_gone' where request_id = $1`, [openId]);
  const [finding, ...rest] = await doctor(database());
  assert.deepEqual(rest, []);
  assert.equal(finding?.check, 'abandoned_hold');
  assert.equal(finding.subject, openId);
  assert.match(finding.message, /ins_gone/);
  await database().query(`delete from instances where id = 'ins_gone'`);
  assert.deepEqual(await checksAfter(), ['abandoned_hold']);
  assert.deepEqual(await checksAfter(`update calls set server_id = 'ins_1'`), []);
});

test('holds of a database that no server runs on, as a restored backup has them, are no fault but counted', async () => {
  await accountWithCalls();
  const [held] = await database().query<{ count: bigint }>('select count(*) from calls where server_id is not null');
  const seen = await database().query("update instances set seen_at = now() - interval '1 hour' returning id");
  assert.ok(seen.length > 0);
  assert.deepEqual(await doctor(database()), []);
  assert.equal(BigInt(await countLeftHolds(database())), held?.count);
  await renewServer('ins_1');
  assert.equal(await countLeftHolds(database()), 0);
});

test('a wrong charge, wrong units and a broken chain of balances are found', async () => {
  const { accountId } = await accountWithCalls();
  const change = async (what: string, back: string) => {
    await database().query('alter table ledger disable trigger ledger_is_insert_only');
    const where = `where account_id = '${accountId}' and type = 'inference'`;
    const checks = await checksAfter(`update ledger set ${what} ${where}`);
    await database().query(`update ledger set ${back} ${where}`);
    await database().query('alter table ledger enable trigger ledger_is_insert_only');
    return checks;
  };
  assert.deepEqual(await change('micro = -301', 'micro = -300'), ['balance', 'chain', 'charge']);
  assert.deepEqual(await change('units = 4', 'units = 3'), ['charge']);
  assert.deepEqual(await change('active_ms = 300.001', 'active_ms = 299.5'), ['charge']);
  assert.deepEqual(await change('held_micro = 299', 'held_micro = 1000'), ['charge']);
  assert.deepEqual(await change('balance_after_micro = 1', 'balance_after_micro = 9700'), ['chain']);
  assert.deepEqual(await doctor(database()), []);
});

test('a request charged twice is found although what forbids it is gone', async () => {
  const { accountId } = await accountWithCalls();
  await database().query('alter table ledger disable trigger ledger_happens_once');
  await database().query(
    `insert into ledger (id, account_id, type, micro, balance_after_micro, request_id)
     select 'led_x' || n, account_id, 'refund', 0, balance_after_micro, 'req_same'
       from (select account_id, balance_after_micro from ledger where account_id = $1 order by seq desc limit 1) latest,
            generate_series(1, 2) n`,
    [accountId],
  );
  assert.deepEqual(await checksAfter(), ['twice', 'unguarded', 'unguarded']);
});
