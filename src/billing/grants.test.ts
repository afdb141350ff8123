import assert from 'node:assert/strict';
import { test } from 'node:test';
import { constraintOf } from '#db';
import { Fault } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, listLedger, openAccount } from '#test/money.ts';
import { balanceOf, grant } from './grants.ts';

const database = fileDatabase();

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

test('twenty grants at once all arrive, each with its own balance after it', async () => {
  const accountId = await openAccount(database(), 0n);
  const balances = await Promise.all(
    Array.from({ length: 20 }, () => grant(database(), { accountId, micro: 7n, note: 'top-up' })),
  );
  assert.deepEqual(
    balances.sort((a, b) => Number(a - b)),
    Array.from({ length: 20 }, (_, index) => BigInt(7 * (index + 1))),
  );
  assert.equal((await listLedger(database(), accountId)).length, 20);
  await assertBooksAreRight(database());
});

test('a grant with a key happens once, also when twenty arrive together', async () => {
  const accountId = await openAccount(database(), 0n);
  const start = { accountId, micro: 500n, note: 'starting credits', onceKey: `start:${accountId}` };
  const balances = await Promise.all(Array.from({ length: 20 }, () => grant(database(), start)));
  assert(balances.every((balance) => balance === 500n));
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 500n);
});

test('a grant of nothing or less, or to nobody, is refused', async () => {
  const accountId = await openAccount(database(), 0n);
  await assert.rejects(grant(database(), { accountId, micro: 0n, note: null }), isFault('invalid_request'));
  await assert.rejects(grant(database(), { accountId, micro: -1n, note: null }), isFault('invalid_request'));
  await assert.rejects(grant(database(), { accountId: 'acc_none', micro: 1n, note: null }), isFault('not_found'));
  await assert.rejects(balanceOf(database(), 'acc_none'), isFault('not_found'));
});

test('more credits than an account can have are refused in words, and change nothing', async () => {
  const accountId = await openAccount(database(), 0n);
  const half = { accountId, micro: 2n ** 62n, note: null };
  await grant(database(), half);
  await assert.rejects(grant(database(), half), isFault('invalid_request'));
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 2n ** 62n);
});

test('the database itself refuses a balance below what is held', async () => {
  const accountId = await openAccount(database(), 10n);
  const overdraw = database().query('update accounts set held_micro = 11 where id = $1', [accountId]);
  await assert.rejects(overdraw, (error) => constraintOf(error) === 'accounts_never_overdrawn');
});
