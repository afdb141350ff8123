import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf } from '#db';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, chargeFor, listLedger, openAccount } from './billing.fixture.ts';
import type { Charge } from './charge.ts';
import { balanceOf } from './grants.ts';
import { placeHolds } from './holds.store.ts';
import { renewInstance } from './instances.store.ts';
import { chargeWork } from './work-charges.store.ts';

const database = fileDatabase({ prepare: (made) => renewInstance(made, 'ins_1') });

async function holdFor({ requestId, accountId, heldMicro: micro }: Charge): Promise<void> {
  const requests = [{ requestId, accountId, micro }];
  assert.deepEqual(await placeHolds(database(), 'ins_1', { requests, timeoutMs: 60_000 }), ['held']);
}

const charge = (work: Charge) =>
  database().transaction((tx) => chargeWork(tx, { ...work, type: 'index', holdId: work.requestId }));

test('work pays within its hold, which is gone then, and a second charge for it is refused', async () => {
  const accountId = await openAccount(database(), 5_000n);
  const [cheap, dear, other] = [3, 99, 1].map((units) => chargeFor(accountId, { units }));
  assert(cheap && dear && other);
  for (const each of [cheap, dear, other]) await holdFor(each);
  assert.equal(await charge(cheap), 300n);
  assert.equal(await charge(dear), 1_000n);
  await assert.rejects(charge(dear), (error) => constraintOf(error) === 'ledger_once_per_request');
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 3_700n,
    heldMicro: 1_000n,
    availableMicro: 2_700n,
  });
  await assertBooksAreRight(database());
});

test('work whose hold was given back, as its process was taken for dead, pays out of what nobody else has reserved', async () => {
  const accountId = await openAccount(database(), 2_000n);
  const running = chargeFor(accountId, { heldMicro: 1_500n });
  await holdFor(running);
  const works = Array.from({ length: 3 }, () => chargeFor(accountId, { units: 4 }));
  const paid: bigint[] = [];
  for (const work of works) paid.push(await charge(work));
  assert.deepEqual(paid, [400n, 100n, 0n]);
  const rows = (await listLedger(database(), accountId)).slice(1);
  assert.deepEqual(
    rows.map((row) => row.balance_after_micro),
    [1_600n, 1_500n, 1_500n],
  );
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 1_500n,
    heldMicro: 1_500n,
    availableMicro: 0n,
  });
  await assertBooksAreRight(database());
});
