import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '#db';
import { fault, newId, systemClock } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import { assertBooksAreRight, chargeFor, listLedger, openAccount, waitFor } from './billing.fixture.ts';
import { type Billing, type BillingTiming, createBilling } from './billing.ts';
import { balanceOf } from './grants.ts';
import { placeHolds } from './holds.store.ts';
import { hasOtherTills, openTills, tillIdOf } from './tills.store.ts';

const database = fileDatabase();

function openBilling(timing: Partial<BillingTiming> = {}): Billing {
  const billing = createBilling({ database: database(), instanceId: newId('ins'), clock: systemClock, timing });
  billing.start();
  return billing;
}

/** Ids of the holds of an account, tills included. */
async function holdsOf(accountId: string): Promise<string[]> {
  const rows = await database().query<{ request_id: string }>('select request_id from holds where account_id = $1', [
    accountId,
  ]);
  return rows.map((row) => row.request_id);
}

const isTill = (id: string) => id.startsWith('till_');

/** Makes a call, after which the instance has a till for the account. */
async function warm(billing: Billing, accountId: string, micro = 100n): Promise<void> {
  const requestId = newId('req');
  await billing.hold({ requestId, accountId, micro });
  await waitFor(async () => (await holdsOf(accountId)).filter(isTill).length > 0);
  await billing.release(requestId);
}

const rich = 10_000_000n;

test('calls of a rich account share one hold, and each is charged once', async () => {
  const accountId = await openAccount(database(), rich);
  const billing = openBilling({ tillIdleMs: 60_000 });
  await warm(billing, accountId);
  const charges = Array.from({ length: 20 }, () => chargeFor(accountId, { heldMicro: 100n }));
  for (const { requestId } of charges) assert.equal(await billing.hold({ requestId, accountId, micro: 100n }), 'held');
  assert.deepEqual((await holdsOf(accountId)).map(isTill), [true]);
  const twice = [...charges, ...charges];
  const paid = await Promise.all(twice.map((charge) => billing.settle(charge)));
  assert.ok(paid.every(({ chargedMicro }) => chargedMicro === 100n));
  assert.deepEqual(await Promise.all(charges.map((charge) => billing.settle(charge))), paid.slice(0, 20));
  const rows = (await listLedger(database(), accountId)).filter(({ type }) => type === 'inference');
  assert.equal(rows.length, 20);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, rich - 2_000n);
  await assertBooksAreRight(database());
  await billing.stop();
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: rich - 2_000n,
    heldMicro: 0n,
    availableMicro: rich - 2_000n,
  });
});

test('nobody is refused for credits that only wait in tills, on whichever instance', async () => {
  const accountId = await openAccount(database(), rich);
  const timing = { tillIdleMs: 300, tillWaitMs: 60_000, sweepMs: 600_000 };
  const [here, there] = [openBilling(timing), openBilling(timing)];
  await warm(here, accountId);
  await warm(there, accountId);
  assert.equal(await here.hold({ requestId: newId('req'), accountId, micro: rich }), 'held');
  assert.deepEqual(await there.hold({ requestId: newId('req'), accountId, micro: 1n }), {
    refused: { availableMicro: 0n },
  });
  await assertBooksAreRight(database());
  await Promise.all([here.stop(), there.stop()]);
});

test('what a till guarantees to a call in flight nobody else can spend', async () => {
  const accountId = await openAccount(database(), rich);
  const timing = { tillIdleMs: 300, tillWaitMs: 60_000 };
  const [here, there] = [openBilling(timing), openBilling(timing)];
  await warm(here, accountId);
  const charge = chargeFor(accountId, { units: 50, heldMicro: 1_000n });
  assert.equal(await here.hold({ requestId: charge.requestId, accountId, micro: 1_000n }), 'held');
  const asked = await there.hold({ requestId: newId('req'), accountId, micro: rich });
  assert.deepEqual(asked, { refused: { availableMicro: rich - 1_000n } });
  const rest = chargeFor(accountId, { units: 1_000_000, heldMicro: rich - 1_000n });
  assert.equal(await there.hold({ requestId: rest.requestId, accountId, micro: rest.heldMicro }), 'held');
  assert.equal((await there.settle(rest)).chargedMicro, rich - 1_000n);
  assert.equal((await here.settle(charge)).chargedMicro, 1_000n);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 0n);
  await assertBooksAreRight(database());
  await Promise.all([here.stop(), there.stop()]);
});

test('an account that becomes poor loses its till; its calls in flight are charged to the last credit', async () => {
  const accountId = await openAccount(database(), 200_000n);
  const billing = openBilling({ tillIdleMs: 60_000 });
  await warm(billing, accountId);
  const inFlight = Array.from({ length: 10 }, () => chargeFor(accountId, { heldMicro: 100n }));
  for (const { requestId } of inFlight) await billing.hold({ requestId, accountId, micro: 100n });
  const large = chargeFor(accountId, { units: 10_000, heldMicro: 190_000n });
  assert.equal(await billing.hold({ requestId: large.requestId, accountId, micro: 190_000n }), 'held');
  await billing.settle(large);
  const next = inFlight.pop() ?? assert.fail();
  await billing.settle(next);
  await waitFor(async () => !(await holdsOf(accountId)).some(isTill));
  assert.equal((await holdsOf(accountId)).length, inFlight.length);
  for (const charge of inFlight) assert.equal((await billing.settle(charge)).chargedMicro, 100n);
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 9_000n,
    heldMicro: 0n,
    availableMicro: 9_000n,
  });
  await assertBooksAreRight(database());
  await billing.stop();
});

/** A database on which tills close when the test says so. */
function slowToClose() {
  const gate = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const query: Database['query'] = async (text, values, options) => {
    if (options?.name === 'billing.close_tills') {
      begun.resolve();
      await gate.promise;
    }
    return database().query(text, values, options);
  };
  return { slow: { ...database(), query }, begun: begun.promise, letGo: () => gate.resolve() };
}

test('a call that ends while its till is being closed pays in full, and one that fails leaves nothing reserved', async () => {
  const accountId = await openAccount(database(), rich);
  const { slow, begun, letGo } = slowToClose();
  const timing = { tillIdleMs: 600_000, sweepMs: 600_000 };
  const billing = createBilling({ database: slow, instanceId: newId('ins'), clock: systemClock, timing });
  billing.start();
  await warm(billing, accountId);
  const charge = chargeFor(accountId, { heldMicro: 100n });
  const failing = newId('req');
  for (const requestId of [charge.requestId, failing]) await billing.hold({ requestId, accountId, micro: 100n });
  const { availableMicro } = await balanceOf(database(), accountId);
  const other = openBilling();
  const all = newId('req');
  assert.equal(await other.holdForWork({ requestId: all, accountId, micro: availableMicro }), 'held');
  const closed = billing.gather(accountId);
  await begun;
  const paid = billing.settle(charge);
  const released = billing.release(failing);
  // Whatever does not wait for the till has been done by then.
  await Promise.race([Promise.all([paid, released]), new Promise((resolve) => setTimeout(resolve, 200))]);
  letGo();
  assert.equal((await paid).chargedMicro, 100n);
  await Promise.all([closed, released]);
  assert.deepEqual(await holdsOf(accountId), [all]);
  await assertBooksAreRight(database());
  await Promise.all([billing.stop(), other.stop()]);
});

test('a till on which nothing draws is closed without a sweep of holds, and the credits are available again', async () => {
  const accountId = await openAccount(database(), rich);
  const billing = openBilling({ tillIdleMs: 60, sweepMs: 600_000 });
  await warm(billing, accountId);
  await waitFor(async () => (await balanceOf(database(), accountId)).availableMicro === rich);
  assert.deepEqual(await holdsOf(accountId), []);
  await billing.stop();
});

test('the till of an instance that died is given back; its call that lives on is charged once', async () => {
  const accountId = await openAccount(database(), rich);
  const quick = { beatMs: 40, sweepMs: 60, deadAfterMs: 400 };
  // Never started: it shows no life after it has registered.
  const dead = createBilling({ database: database(), instanceId: newId('ins'), clock: systemClock });
  await warm(dead, accountId);
  const charge = chargeFor(accountId, { heldMicro: 100n });
  assert.equal(await dead.hold({ requestId: charge.requestId, accountId, micro: 100n }), 'held');
  const living = openBilling(quick);
  await waitFor(async () => (await balanceOf(database(), accountId)).heldMicro === 0n);
  assert.equal((await dead.settle(charge)).chargedMicro, 100n);
  assert.equal((await living.settle(charge)).chargedMicro, 100n);
  assert.equal((await balanceOf(database(), accountId)).settledMicro, rich - 100n);
  await assertBooksAreRight(database());
  await Promise.all([living.stop(), dead.stop()]);
  await assertBooksAreRight(database());
});

test('others may help only with tills: not with holds of their calls, nor with tills of other accounts', async () => {
  const [accountId, stranger] = await Promise.all([1, 2].map(() => openAccount(database(), rich)));
  assert.ok(accountId && stranger);
  const [here, there] = [newId('ins'), newId('ins')];
  const patience = { timeoutMs: 60_000 };
  const open = (owner: string, instanceId: string) => {
    const opening = { tillId: tillIdOf(owner, instanceId), accountId: owner, micro: 10n, leastAvailable: 10n };
    return openTills(database(), instanceId, { openings: [opening], ...patience });
  };
  const othersMayHelp = () => hasOtherTills(database(), accountId, here);
  await placeHolds(database(), there, { requests: [{ requestId: newId('req'), accountId, micro: 10n }], ...patience });
  await open(accountId, here);
  await open(stranger, there);
  assert.equal(await othersMayHelp(), false);
  await open(accountId, there);
  assert.equal(await othersMayHelp(), true);
});

test('while the database is away, tills that do not open are told of in lines that can be told together', async () => {
  const lines: { names: string[]; message: string }[] = [];
  const hear = (line: object, message: string) => void lines.push({ names: Object.keys(line), message });
  const log = { info: hear, warn: hear };
  const away = () => Promise.reject(fault('service_unavailable'));
  const gone: Database = { ...database(), query: away, transaction: away };
  const billing = createBilling({ database: gone, instanceId: newId('ins'), clock: systemClock, log });
  await assert.rejects(billing.hold({ requestId: newId('req'), accountId: newId('acc'), micro: 100n }));
  const ofTills = () => lines.filter(({ message }) => message === 'a till could not be opened');
  await waitFor(async () => ofTills().length > 0);
  assert.deepEqual(ofTills()[0]?.names, ['err']);
  await billing.stop();
});
