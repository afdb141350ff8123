import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newId, systemClock } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, chargeFor, countHolds, listLedger, openAccount, waitFor } from './billing.fixture.ts';
import { type Billing, type BillingTiming, createBilling } from './billing.ts';
import { balanceOf } from './grants.ts';

const database = fileDatabase();

function openBilling(timing: Partial<BillingTiming> = {}): Billing {
  // Charges of an account that is locked are tried for as long as the test locks it.
  const times = { settleForMs: 120_000, ...timing };
  return createBilling({ database: database(), instanceId: newId('ins'), clock: systemClock, timing: times });
}

/** Does the work while the row of an account is locked, as an operator locks it who looks around in psql. */
function whileLocked<T>(accountId: string, work: () => Promise<T>): Promise<T> {
  return database().transaction(async (tx) => {
    await tx.query('select from accounts where id = $1 for update', [accountId]);
    return work();
  });
}

/** Three accounts in the order of their ids, which is the order of locks: others stand before and behind the one in the middle. */
async function openThree(micro: bigint): Promise<[string, string, string]> {
  const ids = await Promise.all([1, 2, 3].map(() => openAccount(database(), micro)));
  const [first, middle, last] = ids.toSorted();
  assert.ok(first && middle && last);
  return [first, middle, last];
}

const held = 1_000n;

/** As many calls of an account as there are names, each with its hold. */
async function callsOf(billing: Billing, accountId: string, calls: number) {
  const charges = Array.from({ length: calls }, () => chargeFor(accountId, { heldMicro: held }));
  const holds = charges.map(({ requestId }) => billing.hold({ requestId, accountId, micro: held }));
  assert.ok((await Promise.all(holds)).every((answer) => answer === 'held'));
  return charges;
}

const callsIn = async (accountId: string) =>
  (await listLedger(database(), accountId)).filter(({ type }) => type === 'inference').length;

test('an account whose row is locked keeps nobody else from holding, paying and giving back; it pays once it is free, once', async () => {
  const [first, middle, last] = await openThree(100_000n);
  const servers = [openBilling(), openBilling()];
  const calls = await Promise.all(
    servers.map(async (billing) => ({
      billing,
      locked: await callsOf(billing, middle, 2),
      others: (await Promise.all([callsOf(billing, first, 2), callsOf(billing, last, 2)])).flat(),
    })),
  );
  const late = await whileLocked(middle, async () => {
    const waiting = calls.map(async ({ billing, locked: [paid, failed] }) => {
      assert.ok(paid && failed);
      await Promise.all([billing.settle(paid), billing.settle(paid), billing.release(failed.requestId)]);
    });
    await Promise.all(
      calls.map(async ({ billing, others: [a, b, c, d] }) => {
        assert.ok(a && b && c && d);
        await Promise.all([billing.settle(a), billing.settle(c), billing.release(b.requestId)]);
        await billing.settle(d);
        for (const accountId of [first, last]) {
          const [next] = await callsOf(billing, accountId, 1);
          if (next) await billing.settle(next);
        }
      }),
    );
    assert.equal(await callsIn(middle), 0);
    return waiting;
  });
  await Promise.all(late);
  assert.deepEqual(await Promise.all([first, middle, last].map(callsIn)), [4, 2, 6]);
  await Promise.all(servers.map((billing) => billing.stop()));
  assert.equal(await countHolds(database()), 0);
  await assertBooksAreRight(database());
});

test('rich accounts pay out of their tills while one of them is locked, and a till that cannot be closed closes later', async () => {
  const [first, middle, last] = await openThree(100_000_000n);
  const billing = openBilling({ tillIdleMs: 60_000 });
  for (const accountId of [first, middle, last]) {
    await callsOf(billing, accountId, 1);
    await waitFor(async () => (await tillsOf(accountId)) === 1);
  }
  const [locked, ...others] = [
    await callsOf(billing, middle, 2),
    await callsOf(billing, first, 2),
    await callsOf(billing, last, 2),
  ];
  const late = await whileLocked(middle, async () => {
    const waiting = locked.map((charge) => billing.settle(charge));
    await Promise.all(others.flat().map((charge) => billing.settle(charge)));
    const closing = billing.gather(middle);
    await Promise.all([first, last].map((accountId) => billing.gather(accountId)));
    assert.deepEqual(await Promise.all([first, last].map(tillsOf)), [0, 0]);
    return [...waiting, closing];
  });
  await Promise.all(late);
  assert.equal(await tillsOf(middle), 0);
  assert.deepEqual(await Promise.all([first, middle, last].map(callsIn)), [2, 2, 2]);
  await billing.stop();
  assert.equal(await countHolds(database()), 0);
  await assertBooksAreRight(database());
});

async function tillsOf(accountId: string): Promise<number> {
  const rows = await database().query("select from holds where account_id = $1 and request_id like 'till\\_%'", [
    accountId,
  ]);
  return rows.length;
}

test('the holds of a dead server are given back to all accounts but the one that is locked, and to that one later', async () => {
  const [first, middle, last] = await openThree(100_000n);
  const dead = openBilling();
  for (const accountId of [first, middle, last]) await callsOf(dead, accountId, 1);
  const alive = openBilling({ beatMs: 50, sweepMs: 50, deadAfterMs: 200 });
  const heldOf = async (accountId: string) => (await balanceOf(database(), accountId)).heldMicro;
  await whileLocked(middle, async () => {
    alive.start();
    await waitFor(async () => (await heldOf(first)) === 0n && (await heldOf(last)) === 0n, 30_000);
    assert.equal(await heldOf(middle), held);
  });
  await waitFor(async () => (await heldOf(middle)) === 0n);
  await alive.stop();
  await assertBooksAreRight(database());
});
