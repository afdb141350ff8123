import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '#db';
import { type Clock, Fault, newId, systemClock } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import {
  assertBooksAreRight,
  chargeFor,
  countHolds,
  listLedger,
  openAccount,
  rateMicroPerMinute,
  waitFor,
} from './billing.fixture.ts';
import { type BillingTiming, createBilling } from './billing.ts';
import { balanceOf } from './grants.ts';

const database = fileDatabase();

function openBilling(timing: Partial<BillingTiming> = {}, { on = database(), clock = systemClock } = {}) {
  const instanceId = newId('ins');
  return { instanceId, billing: createBilling({ database: on, instanceId, clock, timing }) };
}

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

test('of 256 calls at once with credit for 10, exactly 10 are admitted, on two instances together', async () => {
  const accountId = await openAccount(database(), 10_500n);
  const instances = [openBilling().billing, openBilling().billing];
  const calls = Array.from({ length: 256 }, (_, index) => ({
    charge: chargeFor(accountId, { units: 50 }),
    billing: instances[index % 2] ?? assert.fail(),
  }));
  const answers = await Promise.all(
    calls.map(({ charge, billing }) => billing.hold({ requestId: charge.requestId, accountId, micro: 1_000n })),
  );
  const admitted = calls.filter((_, index) => answers[index] === 'held');
  assert.equal(admitted.length, 10);
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 10_500n,
    heldMicro: 10_000n,
    availableMicro: 500n,
  });
  const charged = await Promise.all(admitted.map(({ charge, billing }) => billing.settle(charge)));
  assert(charged.every(({ chargedMicro }) => chargedMicro === 1_000n));
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 500n, heldMicro: 0n, availableMicro: 500n });
  await assertBooksAreRight(database());
  await Promise.all(instances.map((billing) => billing.stop()));
});

test('one settlement sent fifty times at once on two instances leaves one row and gives one answer', async () => {
  const accountId = await openAccount(database(), 5_000n);
  const instances = [openBilling().billing, openBilling().billing];
  for (let round = 0; round < 5; round++) {
    const charge = chargeFor(accountId, { units: 4 });
    await instances[round % 2]?.hold({ requestId: charge.requestId, accountId, micro: 1_000n });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (instances[index % 2] ?? assert.fail()).settle(charge)),
    );
    assert(answers.every(({ chargedMicro }) => chargedMicro === 400n));
  }
  assert.equal((await listLedger(database(), accountId)).length, 1 + 5);
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 3_000n);
  await assertBooksAreRight(database());
  await Promise.all(instances.map((billing) => billing.stop()));
});

test('a failed call gets its hold back and leaves no row; a release without a hold is nothing', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const { billing } = openBilling();
  const requestId = newId('req');
  await billing.hold({ requestId, accountId, micro: 1_000n });
  assert.deepEqual(await billing.hold({ requestId: newId('req'), accountId, micro: 1n }), {
    refused: { availableMicro: 0n },
  });
  await billing.release(requestId);
  await billing.release(requestId);
  await billing.release('req_unknown');
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 1_000n);
  assert.equal((await listLedger(database(), accountId)).length, 1);
  await billing.stop();
});

test('what the database refuses fails alone; the calls of the same batch are charged', async () => {
  const accountId = await openAccount(database(), 100_000n);
  const { billing } = openBilling();
  const charges = Array.from({ length: 20 }, () => chargeFor(accountId, { units: 1 }));
  const bad = { ...chargeFor(accountId), keyName: 'NUL \0 is no text' };
  const results = await Promise.allSettled(
    [...charges.slice(0, 7), bad, ...charges.slice(7)].map((charge) => billing.settle(charge)),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    results.map((_, index) => (index === 7 ? 'rejected' : 'fulfilled')),
  );
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 98_000n);
  await billing.stop();
});

test('stopping gives back what is still held and forgets the instance; new holds are refused', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const { billing, instanceId } = openBilling();
  billing.start();
  await billing.hold({ requestId: newId('req'), accountId, micro: 700n });
  const charge = chargeFor(accountId);
  await billing.hold({ requestId: charge.requestId, accountId, micro: 300n });
  const settled = billing.settle(charge);
  await billing.stop();
  assert.deepEqual(await settled, { chargedMicro: 100n });
  await assert.rejects(billing.hold({ requestId: newId('req'), accountId, micro: 1n }), isFault('service_unavailable'));
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 900n, heldMicro: 0n, availableMicro: 900n });
  assert.deepEqual(await database().query('select from instances where id = $1', [instanceId]), []);
});

const quick: Partial<BillingTiming> = { beatMs: 40, sweepMs: 60, deadAfterMs: 2_000 };

test('the holds of an instance that died are given back by another one; living ones keep theirs', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const [dead, living, sweeper] = [openBilling(quick), openBilling(quick), openBilling(quick)];
  // Never started: it registers with its first hold and then shows no life.
  await dead.billing.hold({ requestId: newId('req'), accountId, micro: 600n });
  living.billing.start();
  const kept = newId('req');
  await living.billing.hold({ requestId: kept, accountId, micro: 100n });
  sweeper.billing.start();
  await waitFor(async () => (await balanceOf(database(), accountId)).heldMicro === 100n);
  assert.deepEqual(await database().query('select request_id from holds'), [{ request_id: kept }]);
  await assertBooksAreRight(database());
  await Promise.all([living.billing.stop(), sweeper.billing.stop()]);
  assert.equal(await countHolds(database()), 0);
});

test('a call that outlives the death of its instance is still charged, once', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const [paused, sweeper] = [openBilling(quick), openBilling(quick)];
  const charge = chargeFor(accountId, { units: 3 });
  await paused.billing.hold({ requestId: charge.requestId, accountId, micro: 1_000n });
  sweeper.billing.start();
  await waitFor(async () => (await countHolds(database())) === 0);
  assert.deepEqual(await paused.billing.settle(charge), { chargedMicro: 300n });
  assert.deepEqual(await sweeper.billing.settle(charge), { chargedMicro: 300n });
  await sweeper.billing.stop();
  await assertBooksAreRight(database());
});

test('a hold whose outcome nobody learned is given back while its instance lives', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const { billing, instanceId } = openBilling(quick);
  billing.start();
  await billing.hold({ requestId: newId('req'), accountId, micro: 100n });
  // As if the answer to a hold had been lost with its connection.
  await database().query(
    `insert into holds (request_id, account_id, instance_id, micro) values ('req_lost', $1, $2, 50)`,
    [accountId, instanceId],
  );
  await database().query('update accounts set held_micro = held_micro + 50 where id = $1', [accountId]);
  await waitFor(async () => (await balanceOf(database(), accountId)).heldMicro === 100n);
  await billing.stop();
  await assertBooksAreRight(database());
});

test('jumps of the clocks, ours and the database host’s, change no bill and kill no instance', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const wall = { nowMs: 0 };
  const clock: Clock = { nowMs: () => wall.nowMs, monotonicMs: systemClock.monotonicMs };
  const [living, sweeper] = [
    openBilling(quick, { on: database(), clock }),
    openBilling(quick, { on: database(), clock }),
  ];
  living.billing.start();
  const charge = chargeFor(accountId, { units: 2 });
  await living.billing.hold({ requestId: charge.requestId, accountId, micro: 1_000n });
  sweeper.billing.start();
  for (const jump of ['1 day', '-1 day', '1 hour', '-1 hour', '100 years']) {
    wall.nowMs += jump.startsWith('-') ? -90_000_000 : 90_000_000;
    // What a life sign looks like when the database's clock was wrong while it was written.
    await database().query(`update instances set seen_at = now() + $1::interval where id = $2`, [
      jump,
      living.instanceId,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 1_000n);
  assert.deepEqual(await living.billing.settle(charge), { chargedMicro: 200n });
  await Promise.all([living.billing.stop(), sweeper.billing.stop()]);
});

test('while the database is away a settlement waits, then says that its outcome is unknown', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const lost = await openDatabase({ url: database().url, maxConnections: 2 });
  const { billing } = openBilling({ settleForMs: 400 }, { on: lost, clock: systemClock });
  const charge = chargeFor(accountId, { units: 2 });
  await billing.hold({ requestId: charge.requestId, accountId, micro: 1_000n });
  const name = new URL(database().url).pathname.slice(1);
  const admin = await openDatabase({ url: database().url.replace(name, 'postgres'), maxConnections: 1 });
  const everyone = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query(everyone, [name]);
  try {
    const started = performance.now();
    await assert.rejects(billing.settle(charge), isFault('ambiguous_transport'));
    assert(performance.now() - started < 60_000);
    await assert.rejects(
      billing.hold({ requestId: newId('req'), accountId, micro: 1n }),
      isFault('service_unavailable'),
    );
  } finally {
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.close();
  }
  assert.deepEqual(await billing.settle(charge), { chargedMicro: 200n });
  await billing.stop();
  await lost.close();
  await assertBooksAreRight(database());
});

test('a settlement that waits behind a locked account is charged once although it was sent again meanwhile', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const { billing } = openBilling();
  const charge = chargeFor(accountId, { units: 2 });
  await billing.hold({ requestId: charge.requestId, accountId, micro: 1_000n });
  const settled = await database().transaction(async (tx) => {
    await tx.query('select from accounts where id = $1 for update', [accountId]);
    const settling = billing.settle(charge);
    // Longer than one statement may take: the first attempt is given up by us, not by the database.
    await new Promise((resolve) => setTimeout(resolve, 4_600));
    return { settling };
  });
  assert.deepEqual(await settled.settling, { chargedMicro: 200n });
  await waitFor(async () => (await listLedger(database(), accountId)).length === 2);
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 9_800n);
  await billing.stop();
  await assertBooksAreRight(database());
});

test('a rate of zero never needs credits', async () => {
  const accountId = await openAccount(database(), 0n);
  const { billing } = openBilling();
  const free = chargeFor(accountId, { rate: 0n, heldMicro: 0n, units: 1_000 });
  assert.deepEqual(await billing.settle(free), { chargedMicro: 0n });
  const paid = { requestId: newId('req'), accountId, micro: rateMicroPerMinute };
  assert.deepEqual(await billing.hold(paid), { refused: { availableMicro: 0n } });
  await billing.stop();
});
