import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf } from '#db';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, chargeFor, listLedger, openAccount } from './billing.fixture.ts';
import type { Charge } from './charge.ts';
import { balanceOf } from './grants.ts';
import { placeHolds, releaseHolds } from './holds.store.ts';
import { settleQuickly } from './quick-settlements.store.ts';
import { settleCharges } from './settlements.store.ts';

const database = fileDatabase();

const limit = { timeoutMs: 5_000 };

test('charges of several accounts are written in their order; an account that cannot pay all of its own pays none', async () => {
  const accounts = await Promise.all([10_000n, 250n, 5_000n].map((micro) => openAccount(database(), micro)));
  const [rich = '', poor = '', other = ''] = accounts;
  const charges = [
    ...[chargeFor(rich, { units: 1 }), chargeFor(poor, { units: 1 }), chargeFor(other, { units: 2 })],
    ...[chargeFor(poor, { units: 2 }), chargeFor(rich, { units: 3 }), chargeFor(rich, { units: 4 })],
  ];
  const paid = await settleQuickly(database(), charges, limit);
  assert.deepEqual(
    new Map(paid.map(({ accountId, availableMicro }) => [accountId, availableMicro])),
    new Map([
      [rich, 9_200n],
      [other, 4_800n],
    ]),
  );
  const after = async (id: string) => (await listLedger(database(), id)).map((row) => row.balance_after_micro);
  assert.deepEqual(await after(rich), [10_000n, 9_900n, 9_600n, 9_200n]);
  assert.deepEqual(await after(other), [5_000n, 4_800n]);
  assert.deepEqual(await after(poor), [250n]);
  await assertBooksAreRight(database());
});

test('the poor one is left out wherever it stands among the accounts', async () => {
  for (const place of [0, 1, 2]) {
    const ids = (await Promise.all([0, 1, 2].map(() => openAccount(database(), 1_000n)))).toSorted();
    const poor = ids[place] ?? '';
    const charges = ids.map((id) => chargeFor(id, { units: id === poor ? 11 : 1, heldMicro: 2_000n }));
    const paid = await settleQuickly(database(), charges, limit);
    assert.deepEqual(
      paid.map(({ accountId }) => accountId).toSorted(),
      ids.filter((id) => id !== poor),
    );
    for (const id of ids) {
      const { settledMicro } = await balanceOf(database(), id);
      assert.equal(settledMicro, id === poor ? 1_000n : 900n);
    }
  }
  await assertBooksAreRight(database());
});

test('an account is told what no hold has reserved', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const requests = [{ requestId: newId('req'), accountId, micro: 4_000n }];
  await placeHolds(database(), 'ins_1', { requests, ...limit });
  const paid = await settleQuickly(database(), [chargeFor(accountId, { units: 2 })], limit);
  assert.deepEqual(paid, [{ accountId, availableMicro: 5_800n }]);
  await releaseHolds(
    database(),
    requests.map(({ requestId }) => requestId),
    limit,
  );
});

test('the ledger keeps the same of a call, however it is paid', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const [quick, slow] = [chargeFor(accountId, { units: 2 }), chargeFor(accountId, { units: 2 })];
  await settleQuickly(database(), [quick], limit);
  await settleCharges(database(), [slow], limit);
  const factsOf = async ({ requestId }: Charge) => {
    const [row] = await database().query<Record<string, unknown>>('select * from ledger where request_id = $1', [
      requestId,
    ]);
    const {
      id: _id,
      seq: _seq,
      created_at: _at,
      request_id: _request,
      balance_after_micro: _balance,
      ...facts
    } = row ?? {};
    return facts;
  };
  const { usage, activeMs, heldMicro } = quick;
  const facts = await factsOf(quick);
  assert.deepEqual(await factsOf(slow), facts);
  assert.deepEqual(
    [facts['held_micro'], facts['active_ms'], facts['units'], facts['prompt_tokens'], facts['completion_tokens']],
    [heldMicro, activeMs, 2n, usage.promptTokens, usage.completionTokens],
  );
});

test('a batch with one charge that was made before writes nothing, and says which rule it broke', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const before = chargeFor(accountId);
  await settleQuickly(database(), [before], limit);
  await assert.rejects(
    settleQuickly(database(), [chargeFor(accountId), before], limit),
    (error) => constraintOf(error) === 'ledger_once_per_request',
  );
  assert.equal((await listLedger(database(), accountId)).length, 2);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 9_900n);
  await assertBooksAreRight(database());
});

test('batches of the same accounts from many connections, in any order, all come through', async () => {
  const accounts = await Promise.all([1, 2, 3, 4].map(() => openAccount(database(), 100_000n)));
  const batch = (n: number) => (n % 2 === 0 ? accounts : accounts.toReversed()).map((id) => chargeFor(id));
  const results = await Promise.all(Array.from({ length: 40 }, (_, n) => settleQuickly(database(), batch(n), limit)));
  assert(results.every((paid) => paid.length === accounts.length));
  for (const id of accounts) assert.equal((await balanceOf(database(), id)).settledMicro, 96_000n);
  await assertBooksAreRight(database());
});
