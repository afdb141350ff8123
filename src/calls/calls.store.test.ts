import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '#billing';
import { openDatabase, type Sql } from '#db';
import { fileDatabase } from '#test/file-database.ts';
import {
  assertBooksAreRight,
  beginCall,
  chargeAll,
  chargeFor,
  countRunningCalls,
  listLedger,
  openAccount,
  type TestCharge,
} from '#test/money.ts';
import { beginCalls, voidCalls } from './calls.store.ts';
import { renewServer } from './servers.store.ts';

const database = fileDatabase({ prepare: (made) => renewServer(made, 'ins_1') });

async function beginAll(sql: Sql, charges: readonly TestCharge[]): Promise<void> {
  for (const charge of charges) assert.equal((await beginCall(sql, charge, 'ins_1')).outcome, 'begun');
}

test('a batch writes one row per charge with the balance after it, takes the money and frees the holds', async () => {
  const [one, other] = [await openAccount(database(), 10_000n), await openAccount(database(), 5_000n)];
  const charges = [
    chargeFor(one, { units: 1 }),
    chargeFor(other, { units: 2 }),
    chargeFor(one, { units: 3 }),
    chargeFor(one, { units: 99 }),
  ];
  await beginAll(database(), charges);
  assert.deepEqual(await chargeAll(database(), charges), [100n, 200n, 300n, 1_000n]);
  const rows = (await listLedger(database(), one)).map((row) => [row.type, row.micro, row.balance_after_micro]);
  assert.deepEqual(rows, [
    ['grant', 10_000n, 10_000n],
    ['inference', -100n, 9_900n],
    ['inference', -300n, 9_600n],
    ['inference', -1_000n, 8_600n],
  ]);
  assert.deepEqual(await balanceOf(database(), one), { settledMicro: 8_600n, heldMicro: 0n, availableMicro: 8_600n });
  await assertBooksAreRight(database());
});

test('a free call leaves a row of nothing and no hold', async () => {
  const accountId = await openAccount(database(), 0n);
  const charge = chargeFor(accountId, { rate: 0n, heldMicro: 0n });
  assert.deepEqual(await chargeAll(database(), [charge]), [0n]);
  const rows = await listLedger(database(), accountId);
  assert.deepEqual(rows, [{ type: 'inference', micro: 0n, balance_after_micro: 0n, request_id: charge.requestId }]);
  await assertBooksAreRight(database());
});

test('a charge that is sent again changes nothing and gives the first answer, also beside new ones', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const [first, second] = [chargeFor(accountId, { units: 2 }), chargeFor(accountId, { units: 3 })];
  await beginAll(database(), [first, second]);
  await chargeAll(database(), [first]);
  const changed = { ...first, activeMs: 900 };
  assert.deepEqual(await chargeAll(database(), [changed, second]), [200n, 300n]);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 9_500n);
  await assertBooksAreRight(database());
});

test('a call whose hold was swept is charged out of what nobody else has reserved, never below zero', async () => {
  const accountId = await openAccount(database(), 2_000n);
  const swept = [
    chargeFor(accountId, { units: 4 }),
    chargeFor(accountId, { units: 4 }),
    chargeFor(accountId, { units: 4 }),
  ];
  const running = chargeFor(accountId, { units: 10, heldMicro: 1_400n });
  await beginAll(database(), [running]);
  // 600 are free: the first takes 400, the second the last 200, the third nothing.
  assert.deepEqual(await chargeAll(database(), swept), [400n, 200n, 0n]);
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 1_400n,
    heldMicro: 1_400n,
    availableMicro: 0n,
  });
  assert.deepEqual(await chargeAll(database(), [running]), [1_000n]);
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 400n);
  await assertBooksAreRight(database());
});

test('what the holds of the same batch leave over goes to a call whose hold was swept', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const held = chargeFor(accountId, { units: 3, heldMicro: 1_000n });
  await beginAll(database(), [held]);
  const swept = chargeFor(accountId, { units: 9 });
  assert.deepEqual(await chargeAll(database(), [swept, held]), [700n, 300n]);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 0n);
  await assertBooksAreRight(database());
});

test('an unknown account is told apart and stops nobody else', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const charges = [chargeFor('acc_none'), chargeFor(accountId, { units: 2 })];
  assert.deepEqual(await chargeAll(database(), charges), [null, 200n]);
});

test('processes that hold, settle and release for the same accounts at once never lock each other out', async () => {
  const accounts = await Promise.all(Array.from({ length: 12 }, () => openAccount(database(), 1_000_000n)));
  const holdsBefore = await countRunningCalls(database());
  const others = await Promise.all([1, 2, 3].map(() => openDatabase({ url: database().url, maxConnections: 2 })));
  const work = others.flatMap((sql, lane) =>
    [0, 1].map(async (half) => {
      for (let round = 0; round < 15; round++) {
        // Each lane walks the accounts in its own direction.
        const order = (lane + half) % 2 === 0 ? accounts : accounts.toReversed();
        const charges = order.map((accountId) => chargeFor(accountId, { units: 2 }));
        const call = {
          operation: 'chat.create',
          projectId: null,
          keyId: null,
          model: null,
          limits: null,
          idempotency: null,
        };
        const requests = charges.map(({ requestId, accountId }) => ({
          ...call,
          requestId,
          accountId,
          heldMicro: 1_000n,
        }));
        await beginCalls(sql, requests, { serverId: 'ins_1' });
        const [failed, succeeded] = [charges.slice(0, 3), charges.slice(3)];
        await Promise.all([
          chargeAll(sql, succeeded),
          voidCalls(
            sql,
            failed.map(({ requestId }) => requestId),
          ),
        ]);
      }
    }),
  );
  await Promise.all(work);
  await Promise.all(others.map((sql) => sql.close()));
  assert.equal(await countRunningCalls(database()), holdsBefore);
  await assertBooksAreRight(database());
});

test('the ledger refuses to be changed', async () => {
  const accountId = await openAccount(database(), 10n);
  for (const text of [
    `update ledger set micro = 0 where account_id = '${accountId}'`,
    `delete from ledger where account_id = '${accountId}'`,
    'truncate ledger',
  ])
    await assert.rejects(database().query(text), /insert-only/);
});
