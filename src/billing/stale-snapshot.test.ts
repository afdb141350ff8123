/**
 * A statement that waits for an account's lock has taken its snapshot before. What it decides and writes must come from
 * the row as it is when the lock is granted. PostgreSQL checks constraints on the older row too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sql } from '#db';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, chargeFor, listLedger, openAccount, waitFor } from './billing.fixture.ts';
import { balanceOf, grant } from './grants.ts';
import { placeHolds, releaseHolds } from './holds.store.ts';
import { renewInstance } from './instances.store.ts';
import { settleQuickly } from './quick-settlements.store.ts';
import { settleCharges } from './settlements.store.ts';
import { closeTills, openTills, tillIdOf } from './tills.store.ts';
import { placeTrainingHold } from './training-money.store.ts';

const database = fileDatabase({ prepare: (made) => renewInstance(made, 'ins_1') });

const limit = { timeoutMs: 60_000 };

/** Runs `first` in a transaction that commits only when `second` waits for it. */
async function overtake<T>(first: (tx: Sql) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
  const { waiting } = await database().transaction(async (tx) => {
    await first(tx);
    const started = second();
    // It may end at any time after the commit; a failure is reported when it is awaited.
    started.catch(() => {});
    await waitFor(async () => {
      const waiters = await database().query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return waiters.length > 0;
    });
    return { waiting: started };
  });
  return waiting;
}

test('a hold may use credits that another call gave back while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const requests = [{ requestId: 'req_stale_1', accountId, micro: 1_000n }];
  await placeHolds(database(), 'ins_1', { requests, ...limit });
  const answers = await overtake(
    (tx) => releaseHolds(tx, ['req_stale_1'], limit),
    () =>
      placeHolds(database(), 'ins_1', { requests: [{ requestId: 'req_stale_2', accountId, micro: 600n }], ...limit }),
  );
  assert.deepEqual(answers, ['held']);
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 1_000n,
    heldMicro: 600n,
    availableMicro: 400n,
  });
});

test('a hold may not use credits that another call took while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const answers = await overtake(
    (tx) => placeHolds(tx, 'ins_1', { requests: [{ requestId: 'req_stale_3', accountId, micro: 700n }], ...limit }),
    () =>
      placeHolds(database(), 'ins_1', { requests: [{ requestId: 'req_stale_4', accountId, micro: 600n }], ...limit }),
  );
  assert.deepEqual(answers, [{ refused: { availableMicro: 300n } }]);
});

test('a hold may use credits that were granted while it waited', async () => {
  const accountId = await openAccount(database(), 0n);
  const answers = await overtake(
    (tx) => grant(tx, { accountId, micro: 500n, note: null }),
    () =>
      placeHolds(database(), 'ins_1', { requests: [{ requestId: 'req_stale_5', accountId, micro: 500n }], ...limit }),
  );
  assert.deepEqual(answers, ['held']);
});

test('a grant is booked on the balance that a settlement left while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const charge = chargeFor(accountId, { units: 10 });
  const requests = [{ requestId: charge.requestId, accountId, micro: 1_000n }];
  await placeHolds(database(), 'ins_1', { requests, ...limit });
  const balance = await overtake(
    (tx) => settleCharges(tx, [charge], limit),
    () => grant(database(), { accountId, micro: 10n, note: null }),
  );
  assert.equal(balance, 10n);
});

test('a call whose hold was swept is charged out of credits that were granted while it waited', async () => {
  const accountId = await openAccount(database(), 0n);
  const charged = await overtake(
    (tx) => grant(tx, { accountId, micro: 500n, note: null }),
    () => settleCharges(database(), [chargeFor(accountId, { units: 3 })], limit),
  );
  assert.deepEqual(charged, [300n]);
});

test('a hold that was swept while its settlement waited is not given back twice', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const charge = chargeFor(accountId, { units: 3 });
  const requests = [{ requestId: charge.requestId, accountId, micro: 1_000n }];
  await placeHolds(database(), 'ins_1', { requests, ...limit });
  const charged = await overtake(
    (tx) => releaseHolds(tx, [charge.requestId], limit),
    () => settleCharges(database(), [charge], limit),
  );
  assert.deepEqual(charged, [300n]);
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 700n, heldMicro: 0n, availableMicro: 700n });
  await assertBooksAreRight(database());
});

test('calls without holds of their own are booked on the balance that others left while they waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const paid = await overtake(
    (tx) => settleQuickly(tx, [chargeFor(accountId, { units: 3 })], limit),
    () => settleQuickly(database(), [chargeFor(accountId, { units: 2 }), chargeFor(accountId, { units: 5 })], limit),
  );
  assert.deepEqual(paid, [{ accountId, availableMicro: 0n }]);
  const rows = await listLedger(database(), accountId);
  assert.deepEqual(
    rows.map((row) => row.balance_after_micro),
    [1_000n, 700n, 500n, 0n],
  );
  await assertBooksAreRight(database());
});

test('calls without holds of their own are left out when others took the credits while they waited', async () => {
  const [poor, rich] = (await Promise.all([1_000n, 1_000n].map((micro) => openAccount(database(), micro)))).toSorted();
  assert(poor && rich);
  const paid = await overtake(
    (tx) =>
      placeHolds(tx, 'ins_1', { requests: [{ requestId: 'req_stale_6', accountId: poor, micro: 700n }], ...limit }),
    () =>
      settleQuickly(
        database(),
        [poor, rich].map((id) => chargeFor(id, { units: 4 })),
        limit,
      ),
  );
  assert.deepEqual(paid, [{ accountId: rich, availableMicro: 600n }]);
  assert.equal((await balanceOf(database(), poor)).settledMicro, 1_000n);
  await assertBooksAreRight(database());
});

const openTill = (accountId: string, micro: bigint) => {
  const opening = { tillId: tillIdOf(accountId, 'ins_1'), accountId, micro, leastAvailable: micro };
  return openTills(database(), 'ins_1', { openings: [opening], ...limit });
};

test('a till is not opened with credits that another call took while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const requests = [{ requestId: 'req_stale_7', accountId, micro: 400n }];
  const opened = await overtake(
    (tx) => placeHolds(tx, 'ins_1', { requests, ...limit }),
    () => openTill(accountId, 601n),
  );
  assert.deepEqual([...opened], []);
  assert.deepEqual([...(await openTill(accountId, 600n))], [accountId]);
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 1_000n);
  await assertBooksAreRight(database());
});

test('a till that is closed leaves reserved what others reserved while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  await openTill(accountId, 600n);
  const calls = [{ requestId: 'req_stale_8', accountId, micro: 50n }];
  await overtake(
    (tx) => placeHolds(tx, 'ins_1', { requests: [{ requestId: 'req_stale_9', accountId, micro: 100n }], ...limit }),
    () => closeTills(database(), 'ins_1', { tillIds: [tillIdOf(accountId, 'ins_1')], calls, ...limit }),
  );
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 150n);
  await assertBooksAreRight(database());
});

test('a till that was swept while it waited to be closed is not given back twice, and its calls get no holds', async () => {
  const accountId = await openAccount(database(), 1_000n);
  await openTill(accountId, 600n);
  const calls = [{ requestId: 'req_stale_10', accountId, micro: 50n }];
  const tillIds = [tillIdOf(accountId, 'ins_1')];
  await overtake(
    (tx) => releaseHolds(tx, tillIds, limit),
    () => closeTills(database(), 'ins_1', { tillIds, calls, ...limit }),
  );
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 0n);
  await assertBooksAreRight(database());
});

test('the hold of a training job may not use credits that a call took while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const requests = [{ requestId: 'req_stale_11', accountId, micro: 400n }];
  const answer = await overtake(
    (tx) => placeHolds(tx, 'ins_1', { requests, ...limit }),
    () =>
      database().transaction((tx) => placeTrainingHold(tx, { accountId, jobId: 'job_stale', attempt: 1, micro: 601n })),
  );
  assert.deepEqual(answer, { refused: { availableMicro: 600n } });
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 400n);
});
