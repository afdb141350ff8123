import assert from 'node:assert/strict';
import { test } from 'node:test';
import { balanceOf } from '#billing';
import { openDatabase } from '#db';
import { type Clock, Fault, newId, systemClock } from '#kernel';
import { fileDatabase } from '#test/file-database.ts';
import {
  assertBooksAreRight,
  chargeFor,
  countRunningCalls,
  listLedger,
  openAccount,
  openTestServer,
  rateMicroPerMinute,
  waitFor,
} from '#test/money.ts';
import type { CallsTiming } from './calls.ts';

const database = fileDatabase();

const openServer = (timing: Partial<CallsTiming> = {}, { on = database(), clock = systemClock } = {}) =>
  openTestServer(on, { timing, clock });

const isFault = (name: string) => (error: unknown) => error instanceof Fault && error.fault === name;

test('of 256 calls at once with credit for 10, exactly 10 are admitted, on two instances together', async () => {
  const accountId = await openAccount(database(), 10_500n);
  const instances = [openServer(), openServer()];
  const calls = Array.from({ length: 256 }, (_, index) => ({
    charge: chargeFor(accountId, { units: 50 }),
    server: instances[index % 2] ?? assert.fail(),
  }));
  const answers = await Promise.all(
    calls.map(({ charge, server }) => server.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n })),
  );
  const admitted = calls.filter((_, index) => answers[index] === 'begun');
  assert.equal(admitted.length, 10);
  assert.deepEqual(await balanceOf(database(), accountId), {
    settledMicro: 10_500n,
    heldMicro: 10_000n,
    availableMicro: 500n,
  });
  const charged = await Promise.all(admitted.map(({ charge, server }) => server.end(charge)));
  assert(charged.every((chargedMicro) => chargedMicro === 1_000n));
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 500n, heldMicro: 0n, availableMicro: 500n });
  await assertBooksAreRight(database());
  await Promise.all(instances.map((server) => server.stop()));
});

test('one settlement sent fifty times at once on two instances leaves one row and gives one answer', async () => {
  const accountId = await openAccount(database(), 5_000n);
  const instances = [openServer(), openServer()];
  for (let round = 0; round < 5; round++) {
    const charge = chargeFor(accountId, { units: 4 });
    await instances[round % 2]?.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n });
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) => (instances[index % 2] ?? assert.fail()).end(charge)),
    );
    assert(answers.every((chargedMicro) => chargedMicro === 400n));
  }
  assert.equal((await listLedger(database(), accountId)).length, 1 + 5);
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 3_000n);
  await assertBooksAreRight(database());
  await Promise.all(instances.map((server) => server.stop()));
});

test('a failed call gets its hold back and leaves no row; a release without a hold is nothing', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const server = openServer();
  const requestId = newId('req');
  await server.begin({ requestId, accountId, heldMicro: 1_000n });
  assert.deepEqual(await server.begin({ requestId: newId('req'), accountId, heldMicro: 1n }), { availableMicro: 0n });
  await server.void(requestId);
  await server.void(requestId);
  await server.void('req_unknown');
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 1_000n);
  assert.equal((await listLedger(database(), accountId)).length, 1);
  await server.stop();
});

test('what the database refuses fails alone; the calls of the same batch are charged', async () => {
  const accountId = await openAccount(database(), 100_000n);
  const server = openServer();
  const charges = Array.from({ length: 20 }, () => chargeFor(accountId, { units: 1 }));
  const bad = { ...chargeFor(accountId), keyName: 'NUL \0 is no text' };
  const results = await Promise.allSettled(
    [...charges.slice(0, 7), bad, ...charges.slice(7)].map((charge) => server.end(charge)),
  );
  assert.deepEqual(
    results.map(({ status }) => status),
    results.map((_, index) => (index === 7 ? 'rejected' : 'fulfilled')),
  );
  assert.equal((await balanceOf(database(), accountId)).settledMicro, 98_000n);
  await server.stop();
});

test('stopping gives back what is still held and forgets the instance; new holds are refused', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const server = openServer();
  server.calls.start();
  await server.begin({ requestId: newId('req'), accountId, heldMicro: 700n });
  const charge = chargeFor(accountId);
  await server.begin({ requestId: charge.requestId, accountId, heldMicro: 300n });
  const settled = server.end(charge);
  await server.stop();
  assert.deepEqual(await settled, 100n);
  await assert.rejects(
    server.begin({ requestId: newId('req'), accountId, heldMicro: 1n }),
    isFault('service_unavailable'),
  );
  assert.deepEqual(await balanceOf(database(), accountId), { settledMicro: 900n, heldMicro: 0n, availableMicro: 900n });
  assert.deepEqual(await database().query('select from instances where id = $1', [server.serverId]), []);
});

const quick: Partial<CallsTiming> = { heartbeatMs: 40, reapMs: 60, deadAfterMs: 2_000 };

test('the holds of an instance that died are given back by another one; living ones keep theirs', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const [dead, living, sweeper] = [openServer(quick), openServer(quick), openServer(quick)];
  // Never started: it registers with its first hold and then shows no life.
  await dead.begin({ requestId: newId('req'), accountId, heldMicro: 600n });
  living.calls.start();
  const kept = newId('req');
  await living.begin({ requestId: kept, accountId, heldMicro: 100n });
  sweeper.calls.start();
  await waitFor(async () => (await balanceOf(database(), accountId)).heldMicro === 100n);
  assert.deepEqual(await database().query('select request_id from calls'), [{ request_id: kept }]);
  await assertBooksAreRight(database());
  await Promise.all([living.stop(), sweeper.stop()]);
  assert.equal(await countRunningCalls(database()), 0);
});

test('a call that outlives the death of its instance is still charged, once', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const [paused, sweeper] = [openServer(quick), openServer(quick)];
  const charge = chargeFor(accountId, { units: 3 });
  await paused.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n });
  sweeper.calls.start();
  await waitFor(async () => (await countRunningCalls(database())) === 0);
  assert.deepEqual(await paused.end(charge), 300n);
  assert.deepEqual(await sweeper.end(charge), 300n);
  await sweeper.stop();
  await assertBooksAreRight(database());
});

test('a hold whose outcome nobody learned is given back while its instance lives', async () => {
  const accountId = await openAccount(database(), 1_000n);
  const server = openServer(quick);
  server.calls.start();
  await server.begin({ requestId: newId('req'), accountId, heldMicro: 100n });
  // As if the answer to a hold had been lost with its connection.
  await database().query(
    `insert into calls (request_id, account_id, server_id, operation, held_micro) values ('req_lost', $1, $2, 'chat.create', 50)`,
    [accountId, server.serverId],
  );
  await database().query('update accounts set held_micro = held_micro + 50 where id = $1', [accountId]);
  await waitFor(async () => (await balanceOf(database(), accountId)).heldMicro === 100n);
  await server.stop();
  await assertBooksAreRight(database());
});

test('jumps of the clocks, ours and the database host’s, change no bill and kill no instance', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const wall = { nowMs: 0 };
  const clock: Clock = { nowMs: () => wall.nowMs, monotonicMs: systemClock.monotonicMs };
  const [living, sweeper] = [
    openServer(quick, { on: database(), clock }),
    openServer(quick, { on: database(), clock }),
  ];
  living.calls.start();
  const charge = chargeFor(accountId, { units: 2 });
  await living.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n });
  sweeper.calls.start();
  for (const jump of ['1 day', '-1 day', '1 hour', '-1 hour', '100 years']) {
    wall.nowMs += jump.startsWith('-') ? -90_000_000 : 90_000_000;
    // What a life sign looks like when the database's clock was wrong while it was written.
    await database().query(`update instances set seen_at = now() + $1::interval where id = $2`, [
      jump,
      living.serverId,
    ]);
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
  assert.equal((await balanceOf(database(), accountId)).heldMicro, 1_000n);
  assert.deepEqual(await living.end(charge), 200n);
  await Promise.all([living.stop(), sweeper.stop()]);
});

test('while the database is away a settlement waits, then says that its outcome is unknown', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const lost = await openDatabase({ url: database().url, maxConnections: 2 });
  const server = openServer({ endForMs: 400 }, { on: lost, clock: systemClock });
  const charge = chargeFor(accountId, { units: 2 });
  await server.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n });
  const name = new URL(database().url).pathname.slice(1);
  const admin = await openDatabase({ url: database().url.replace(name, 'postgres'), maxConnections: 1 });
  const everyone = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1';
  await admin.query(`alter database ${name} allow_connections false`);
  await admin.query(everyone, [name]);
  try {
    const started = performance.now();
    await assert.rejects(server.end(charge), isFault('ambiguous_transport'));
    assert(performance.now() - started < 60_000);
    await assert.rejects(
      server.begin({ requestId: newId('req'), accountId, heldMicro: 1n }),
      isFault('service_unavailable'),
    );
  } finally {
    await admin.query(`alter database ${name} allow_connections true`);
    await admin.close();
  }
  assert.deepEqual(await server.end(charge), 200n);
  await server.stop();
  await lost.close();
  await assertBooksAreRight(database());
});

test('a settlement that waits behind a locked account is charged once although it was sent again meanwhile', async () => {
  const accountId = await openAccount(database(), 10_000n);
  const server = openServer();
  const charge = chargeFor(accountId, { units: 2 });
  await server.begin({ requestId: charge.requestId, accountId, heldMicro: 1_000n });
  const settled = await database().transaction(async (tx) => {
    await tx.query('select from accounts where id = $1 for update', [accountId]);
    const settling = server.end(charge);
    // Longer than one statement may take: the first attempt is given up by us, not by the database.
    await new Promise((resolve) => setTimeout(resolve, 4_600));
    return { settling };
  });
  assert.deepEqual(await settled.settling, 200n);
  await waitFor(async () => (await listLedger(database(), accountId)).length === 2);
  assert.equal((await balanceOf(database(), accountId)).availableMicro, 9_800n);
  await server.stop();
  await assertBooksAreRight(database());
});

test('a rate of zero never needs credits', async () => {
  const accountId = await openAccount(database(), 0n);
  const server = openServer();
  const free = chargeFor(accountId, { rate: 0n, heldMicro: 0n, units: 1_000 });
  assert.deepEqual(await server.end(free), 0n);
  const paid = { requestId: newId('req'), accountId, heldMicro: rateMicroPerMinute };
  assert.deepEqual(await server.begin(paid), { availableMicro: 0n });
  await server.stop();
});

test('an account that somebody keeps locked holds up nobody else, and is waited for', async () => {
  const [locked, free] = [await openAccount(database(), 10_000n), await openAccount(database(), 100_000n)];
  const server = openServer();
  const running = chargeFor(locked, { units: 2 });
  await server.begin(running);
  const waiting = await database().transaction(async (tx) => {
    await tx.query('select from accounts where id = $1 for update', [locked]);
    const ended = server.end(running);
    const begun = server.begin(chargeFor(locked));
    const refused = assert.rejects(server.begin(chargeFor(locked)), isFault('service_unavailable'));
    // More of them than the locked ones could be waited for.
    for (let call = 0; call < 20; call++) {
      const charge = chargeFor(free, { units: 1 });
      assert.equal(await server.begin(charge), 'begun');
      assert.equal(await server.end(charge), 100n);
    }
    await refused;
    begun.catch(() => {});
    return { ended, begun };
  });
  assert.equal(await waiting.ended, 200n);
  await assert.rejects(waiting.begun, isFault('service_unavailable'));
  assert.equal(await server.begin(chargeFor(locked)), 'begun');
  await server.stop();
  await assertBooksAreRight(database());
});
