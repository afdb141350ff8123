/**
 * A statement that waits for an account's lock has taken its snapshot before. What it decides and writes must come from
 * the row as it is when the lock is granted. PostgreSQL checks constraints on the older row too.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf, grant } from '#billing';
import type { Sql } from '#db';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, beginCall, chargeAll, chargeFor, listLedger, openAccount, waitFor } from '#test/money.ts';
import { voidCalls } from './calls.store.ts';
import { renewServer } from './servers.store.ts';

const database = fileDatabase({ prepare: (made) => renewServer(made, 'ins_1') });

const begin = (sql: Sql, requestId: string, accountId: string, heldMicro: bigint) =>
  beginCall(sql, { requestId, accountId, heldMicro }, 'ins_1');

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
  await begin(database(), 'req_stale_1', accountId, 1_000n);
  const answers = await overtake(
    (tx) => voidCalls(tx, ['req_stale_1']),
    () => begin(database(), 'req_stale_2', accountId, 600n),
  );
  assert.equal(answers.outcome, 'begun');
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 1_000n,
    heldMicro: 600n,
    availableMicro: 400n,
  });
});

test('a hold may not use credits that another call took while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const answers = await overtake(
    (tx) => begin(tx, 'req_stale_3', accountId, 700n),
    () => begin(database(), 'req_stale_4', accountId, 600n),
  );
  assert.equal(answers.outcome === 'insufficient' && answers.availableMicro, 300n);
});

test('a hold may use credits that were granted while it waited', async () => {
  const accountId = await openAccount(database(), 0n);
  const answers = await overtake(
    (tx) => grant(tx, { accountId, micro: 500n, note: null }),
    () => begin(database(), 'req_stale_5', accountId, 500n),
  );
  assert.equal(answers.outcome, 'begun');
});

test('a grant is booked on the balance that a settlement left while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const charge = chargeFor(accountId, { units: 10 });
  await begin(database(), charge.requestId, accountId, 1_000n);
  const balance = await overtake(
    (tx) => chargeAll(tx, [charge]),
    () => grant(database(), { accountId, micro: 10n, note: null }),
  );
  assert.equal(balance, 10n);
});

test('a call whose hold was swept is charged out of credits that were granted while it waited', async () => {
  const accountId = await openAccount(database(), 0n);
  const charged = await overtake(
    (tx) => grant(tx, { accountId, micro: 500n, note: null }),
    () => chargeAll(database(), [chargeFor(accountId, { units: 3 })]),
  );
  assert.deepEqual(charged, [300n]);
});

test('a hold that was swept while its settlement waited is not given back twice', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const charge = chargeFor(accountId, { units: 3 });
  await begin(database(), charge.requestId, accountId, 1_000n);
  const charged = await overtake(
    (tx) => voidCalls(tx, [charge.requestId]),
    () => chargeAll(database(), [charge]),
  );
  assert.deepEqual(charged, [300n]);
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 700n, heldMicro: 0n, availableMicro: 700n });
  await assertBooksAreRight(database());
});

test('free calls are booked on the balance that others left while they waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const free = { rate: 0n, heldMicro: 0n };
  const charge = chargeFor(accountId, { units: 3 });
  await begin(database(), charge.requestId, accountId, 1_000n);
  await overtake(
    (tx) => chargeAll(tx, [charge]),
    () => chargeAll(database(), [chargeFor(accountId, free), chargeFor(accountId, free)]),
  );
  const rows = await listLedger(database(), accountId);
  assert.deepEqual(
    rows.map((row) => row.balance_after_micro),
    [1_000n, 700n, 700n, 700n],
  );
  await assertBooksAreRight(database());
});

test('the hold of a training job may not use credits that a call took while it waited', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const answer = await overtake(
    (tx) => begin(tx, 'req_stale_11', accountId, 400n),
    () => database().transaction((tx) => beginCall(tx, { requestId: 'job_stale/1', accountId, heldMicro: 601n })),
  );
  assert.equal(answer.outcome === 'insufficient' && answer.availableMicro, 600n);
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 400n);
});
