import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf } from '#db';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { fc } from '#test/properties.ts';
import { assertBooksAreRight, countHolds, openAccount } from './billing.fixture.ts';
import { balanceOf } from './grants.ts';
import { type HoldAnswer, placeHolds, releaseFreeHolds, releaseHolds } from './holds.store.ts';

const database = fileDatabase();

const timeoutMs = 60_000;
const request = (accountId: string, micro: bigint) => ({ requestId: newId('req'), accountId, micro });

/** What the statement must do, one after the other. */
function admitInOrder(available: bigint, micros: readonly bigint[]): HoldAnswer[] {
  let left = available;
  return micros.map((micro) => {
    if (micro > left) return { refused: { availableMicro: left } };
    left -= micro;
    return 'held';
  });
}

test('holds of one batch are admitted in order, and one that does not fit costs the later ones nothing', async () => {
  const amount = fc.bigInt({ min: 1n, max: 60n });
  await fc.assert(
    fc.asyncProperty(
      fc.bigInt({ min: 0n, max: 100n }),
      fc.array(amount, { minLength: 1, maxLength: 12 }),
      async (credits, micros) => {
        const accountId = await openAccount(database(), credits);
        const requests = micros.map((micro) => request(accountId, micro));
        const answers = await placeHolds(database(), 'ins_1', { requests, timeoutMs });
        const expected = admitInOrder(credits, micros);
        assert.deepEqual(answers, expected);
        const heldMicro = micros.reduce((sum, micro, index) => (expected[index] === 'held' ? sum + micro : sum), 0n);
        assert.equal((await balanceOf(database(), accountId)).heldMicro, heldMicro);
      },
    ),
    { numRuns: 60 },
  );
});

test('accounts of one batch do not see each other', async () => {
  const rich = await openAccount(database(), 1_000n);
  const poor = await openAccount(database(), 5n);
  const requests = [
    request(poor, 10n),
    request(rich, 600n),
    request(poor, 5n),
    request(rich, 600n),
    request('acc_none', 1n),
  ];
  const answers = await placeHolds(database(), 'ins_1', { requests, timeoutMs });
  assert.deepEqual(answers, [
    { refused: { availableMicro: 5n } },
    'held',
    'held',
    { refused: { availableMicro: 400n } },
    null,
  ]);
});

test('a request id holds once; the second attempt changes nothing', async () => {
  const accountId = await openAccount(database(), 100n);
  const first = request(accountId, 10n);
  await placeHolds(database(), 'ins_1', { requests: [first], timeoutMs });
  const again = placeHolds(database(), 'ins_2', { requests: [request(accountId, 1n), first], timeoutMs });
  await assert.rejects(again, (error) => constraintOf(error) === 'holds_pkey');
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 10n);
});

test('released credits are available again, however often the release is sent', async () => {
  const accountId = await openAccount(database(), 100n);
  const before = await countHolds(database());
  const requests = [request(accountId, 30n), request(accountId, 20n)];
  await placeHolds(database(), 'ins_1', { requests, timeoutMs });
  const ids = requests.map(({ requestId }) => requestId);
  await Promise.all([1, 2, 3, 4].map(() => releaseHolds(database(), [...ids, 'req_unknown'], { timeoutMs })));
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 100n);
  assert.equal(await countHolds(database()), before);
});

test('holds of a locked account stay while those of others are given back, and go once it is free', async () => {
  const [busy, free] = await Promise.all([1, 2].map(() => openAccount(database(), 100n)));
  assert.ok(busy && free);
  const requests = [request(busy, 30n), request(free, 20n)];
  await placeHolds(database(), 'ins_1', { requests, timeoutMs });
  const giveBack = () =>
    releaseFreeHolds(
      database(),
      requests.map(({ requestId }) => requestId),
      { timeoutMs },
    );
  const heldOfBoth = () =>
    Promise.all([busy, free].map(async (accountId) => (await balanceOf(database(), accountId)).heldMicro));
  await database().transaction(async (tx) => {
    await tx.query('select from accounts where id = $1 for update', [busy]);
    await giveBack();
    assert.deepEqual(await heldOfBoth(), [30n, 0n]);
  });
  await giveBack();
  assert.deepEqual(await heldOfBoth(), [0n, 0n]);
  await assertBooksAreRight(database());
});

test('a hold does not wait for the disk', async () => {
  const accountId = await openAccount(database(), 100n);
  const settings = await database().transaction(async (tx) => {
    await placeHolds(tx, 'ins_1', { requests: [request(accountId, 1n)], timeoutMs });
    return tx.query<{ synchronous_commit: string }>('show synchronous_commit');
  });
  assert.deepEqual(settings, [{ synchronous_commit: 'off' }]);
});
