import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '#billing';
import { constraintOf, type Sql } from '#db';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, countRunningCalls, openAccount } from '#test/money.ts';
import { fc } from '#test/properties.ts';
import { beginCalls, voidCalls, voidCallsQuickly } from './calls.store.ts';

const database = fileDatabase();

const request = (accountId: string, heldMicro: bigint) => ({
  requestId: newId('req'),
  accountId,
  heldMicro,
  operation: 'chat.create',
  projectId: null,
  keyId: null,
  model: null,
  limits: null,
  idempotency: null,
});

type BeginAnswer = string | { availableMicro: bigint };

const locks = { lockMs: 60_000, skipLocked: () => false };

async function begin(sql: Sql, requests: ReturnType<typeof request>[], serverId = 'ins_1'): Promise<BeginAnswer[]> {
  const results = await beginCalls(sql, requests, { serverId, locks });
  return results.map((result) =>
    result.outcome === 'insufficient' ? { availableMicro: result.availableMicro } : result.outcome,
  );
}

/** What the statement must do, one after the other. */
function admitInOrder(available: bigint, micros: readonly bigint[]): BeginAnswer[] {
  let left = available;
  return micros.map((micro) => {
    if (micro > left) return { availableMicro: left };
    left -= micro;
    return 'begun';
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
        const answers = await begin(database(), requests);
        const expected = admitInOrder(credits, micros);
        assert.deepEqual(answers, expected);
        const heldMicro = micros.reduce((sum, micro, index) => (expected[index] === 'begun' ? sum + micro : sum), 0n);
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
  const answers = await begin(database(), requests);
  assert.deepEqual(answers, [{ availableMicro: 5n }, 'begun', 'begun', { availableMicro: 400n }, 'no_account']);
});

test('a request id holds once; the second attempt changes nothing', async () => {
  const accountId = await openAccount(database(), 100n);
  const first = request(accountId, 10n);
  await begin(database(), [first]);
  const again = begin(database(), [request(accountId, 1n), first], 'ins_2');
  await assert.rejects(again, (error) => constraintOf(error) === 'calls_pkey');
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 10n);
});

test('released credits are available again, however often the release is sent', async () => {
  const accountId = await openAccount(database(), 100n);
  const before = await countRunningCalls(database());
  const requests = [request(accountId, 30n), request(accountId, 20n)];
  await begin(database(), requests);
  const ids = requests.map(({ requestId }) => requestId);
  await Promise.all([1, 2, 3, 4].map(() => voidCalls(database(), [...ids, 'req_unknown'])));
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 100n);
  assert.equal(await countRunningCalls(database()), before);
});

test('holds of a locked account stay while those of others are given back, and go once it is free', async () => {
  const [busy, free] = await Promise.all([1, 2].map(() => openAccount(database(), 100n)));
  assert.ok(busy && free);
  const requests = [request(busy, 30n), request(free, 20n)];
  await begin(database(), requests);
  const giveBack = () =>
    voidCallsQuickly(
      database(),
      requests.map(({ requestId }) => requestId),
      0,
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
    await begin(tx, [request(accountId, 1n)]);
    return tx.query<{ synchronous_commit: string }>('show synchronous_commit');
  });
  assert.deepEqual(settings, [{ synchronous_commit: 'off' }]);
});
