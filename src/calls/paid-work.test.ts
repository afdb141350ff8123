import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '#billing';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, beginCall, chargeFor, listLedger, openAccount, type TestCharge } from '#test/money.ts';
import { endCall } from './calls.store.ts';
import { renewServer } from './servers.store.ts';

const database = fileDatabase({ prepare: (made) => renewServer(made, 'ins_1') });

async function holdFor(work: TestCharge): Promise<void> {
  assert.equal((await beginCall(database(), work, 'ins_1')).outcome, 'begun');
}

const charge = (work: TestCharge) =>
  database().transaction((tx) => endCall(tx, { charge: { ...work, type: 'index' }, keyed: null }));

test('work pays within its hold, which is gone then, and a second charge for it changes nothing', async () => {
  const accountId = await openAccount(database(), 5_000n);
  const [cheap, dear, other] = [3, 99, 1].map((units) => chargeFor(accountId, { units }));
  assert(cheap && dear && other);
  for (const each of [cheap, dear, other]) await holdFor(each);
  assert.equal(await charge(cheap), 300n);
  assert.equal(await charge(dear), 1_000n);
  assert.equal(await charge({ ...dear, activeMs: 1 }), 1_000n);
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
