import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '#billing';
import { newId } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, beginCall, listLedger, openAccount, rateMicroPerMinute } from '#test/money.ts';
import { endCall, voidCalls } from './calls.store.ts';
import type { Charge } from './charge.ts';

const database = fileDatabase();

type Attempt = { accountId: string; jobId: string; attempt: number };

const firstAttempt = (accountId: string): Attempt => ({ accountId, jobId: newId('job'), attempt: 1 });
const callIdOf = ({ jobId, attempt }: Attempt) => `${jobId}/${attempt}`;

async function place(attempt: Attempt, heldMicro: bigint): Promise<'begun' | { availableMicro: bigint }> {
  const call = { requestId: callIdOf(attempt), accountId: attempt.accountId, heldMicro };
  const result = await database().transaction((tx) => beginCall(tx, call));
  if (result.outcome === 'insufficient') return { availableMicro: result.availableMicro };
  assert.equal(result.outcome, 'begun');
  return 'begun';
}

const release = (attempt: Attempt) => database().transaction((tx) => voidCalls(tx, [callIdOf(attempt)]));

const settle = (charge: Charge) => database().transaction((tx) => endCall(tx, { charge, keyed: null }));

const chargeOf = (attempt: Attempt, heldMicro: bigint, activeMs: number): Charge => ({
  type: 'training',
  callId: callIdOf(attempt),
  requestId: null,
  training: { jobId: attempt.jobId, attempt: attempt.attempt },
  accountId: attempt.accountId,
  keyId: 'key_1',
  keyName: 'the key',
  projectId: 'prj_1',
  operation: 'training_jobs.run',
  modelRequested: 'base',
  modelServed: 'base',
  modelRevision: null,
  activeMs,
  rateMicroPerMinute,
  priceVersion: '2026-01',
  heldMicro,
  usage: null,
  outcome: 'canceled',
  note: 'a note',
});

test('an attempt may reserve all that is available, and not one micro-credit more', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const [small, large] = [firstAttempt(accountId), firstAttempt(accountId)];
  assert.equal(await place(small, 300n), 'begun');
  assert.deepEqual(await place(large, 701n), { availableMicro: 700n });
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 300n);
  assert.equal(await place(large, 700n), 'begun');
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 1_000n,
    heldMicro: 1_000n,
    availableMicro: 0n,
  });
  assert.equal(await place(firstAttempt(accountId), 0n), 'begun');
  assert.deepEqual(await place(firstAttempt(accountId), 1n), { availableMicro: 0n });
  for (const attempt of [small, small]) await release(attempt);
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 700n);
  await release(large);
  await assertBooksAreRight(database());
});

test('an attempt that ran longer than was reserved for it pays what was reserved, and its row of the ledger says all', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const attempt = { ...firstAttempt(accountId), attempt: 2 };
  await place(attempt, 300n);
  assert.equal(await settle(chargeOf(attempt, 300n, 450)), 300n);
  const rows = await database().query(
    `select micro, balance_after_micro, project_id, model_requested, model_served, training_job_id, attempt, key_id,
            key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro, outcome, note, operation
       from ledger where account_id = $1 and type = 'training'`,
    [accountId],
  );
  assert.deepEqual(rows, [
    {
      micro: -300n,
      balance_after_micro: 700n,
      project_id: 'prj_1',
      model_requested: 'base',
      model_served: 'base',
      training_job_id: attempt.jobId,
      attempt: 2,
      key_id: 'key_1',
      key_name: 'the key',
      active_ms: 450,
      units: 5n,
      rate_micro_per_minute: rateMicroPerMinute,
      price_version: '2026-01',
      held_micro: 300n,
      outcome: 'canceled',
      note: 'a note',
      operation: 'training_jobs.run',
    },
  ]);
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 700n, heldMicro: 0n, availableMicro: 700n });
  await assertBooksAreRight(database());
});

test('a second charge of an attempt changes nothing; the next attempt pays', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const attempt = firstAttempt(accountId);
  await place(attempt, 500n);
  const charge = chargeOf(attempt, 500n, 200);
  assert.equal(await settle(charge), 200n);
  const [ledger, balance] = [await listLedger(database(), accountId), await balanceOf(database(), accountId)];
  assert.deepEqual(balance, { settledMicro: 800n, heldMicro: 0n, availableMicro: 800n });
  assert.equal(await settle({ ...charge, activeMs: 400 }), 200n);
  assert.deepEqual(await listLedger(database(), accountId), ledger);
  assert.deepEqual(await balanceOf(database(), accountId), balance);
  const next = { ...attempt, attempt: 2 };
  await place(next, 800n);
  assert.equal(await settle(chargeOf(next, 800n, 100)), 100n);
  await assertBooksAreRight(database());
});
