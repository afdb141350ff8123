import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Fault, newId, systemClock } from '#kernel';
import { seedAccount } from '#test/accounts.ts';
import { createTestDatabase, type TestDatabase } from '#test/database.ts';
import { type Checkout, claimDueChecks, insertCheckout } from './checkouts.store.ts';
import { cancelCheckout, takeEvent } from './checkouts.ts';
import { createReconciliation } from './reconciliation.ts';

let db: TestDatabase;

before(async () => {
  db = await createTestDatabase();
});

after(() => db?.drop());

const dayMs = 24 * 3_600_000;
const price = { minorUnits: 500n, currency: 'USD' };

/** A server whose provider knows nothing of any checkout, and notes for which it was asked. */
function forgetfulServer() {
  const asked: string[] = [];
  const unused = () => Promise.reject(new Error('Nothing is opened or closed here.'));
  const read = async (sessionId: string) => {
    asked.push(sessionId);
    return null;
  };
  const deps = {
    database: db.database,
    provider: { read, open: unused, close: unused, readEvent: unused },
    packs: [],
    creditPrice: null,
    clock: systemClock,
    onPurchase: () => {},
  };
  return { asked, deps, reconciliation: createReconciliation(deps, { pauseMs: 10, askAgainMs: 0 }) };
}

/** A checkout in flight whose page was closed so long ago. */
async function inFlight(state: 'open' | 'processing', closedAgoMs: number): Promise<Checkout> {
  const { accountId } = await seedAccount(db.database);
  const id = newId('chk');
  const checkout = await insertCheckout(db.database, {
    id,
    accountId,
    micro: 100_000_000n,
    packId: 'small',
    price,
    sessionId: `cs_${id}`,
    url: 'https://checkout.stripe.example/c/pay/x',
    expiresAt: new Date(Date.now() - closedAgoMs),
  });
  await db.database.query(`update checkouts set state = $2 where id = $1`, [id, state]);
  return checkout;
}

const stateOf = async ({ id }: Checkout) =>
  (await db.database.query<{ state: string }>('select state from checkouts where id = $1', [id]))[0]?.state;

/** Rounds of a server, until it has asked for each of these so often. */
async function askedFor(checkouts: readonly Checkout[], times: number): Promise<readonly string[]> {
  const { asked, reconciliation } = forgetfulServer();
  reconciliation.start();
  const isDone = () => checkouts.every(({ sessionId }) => asked.filter((id) => id === sessionId).length >= times);
  for (const deadline = performance.now() + 60_000; !isDone(); await sleep(5))
    assert.ok(performance.now() < deadline, 'The provider is not asked.');
  await reconciliation.stop();
  return asked;
}

test('what the provider has forgotten is given up in the end, and asked for no more', async () => {
  const over = [await inFlight('open', 60_000), await inFlight('processing', 31 * dayMs)];
  const early = [await inFlight('open', -60 * 60_000), await inFlight('processing', 29 * dayMs)];
  await askedFor([...over, ...early], 1);
  const asked = await askedFor(early, 2);
  assert.deepEqual(await Promise.all(over.map(stateOf)), ['expired', 'failed']);
  assert.deepEqual(await Promise.all(early.map(stateOf)), ['open', 'processing']);
  assert.ok(over.every(({ sessionId }) => !asked.includes(sessionId)));
});

test('money that comes for a checkout that was given up so is delivered', async () => {
  const checkout = await inFlight('processing', 31 * dayMs);
  await askedFor([checkout], 1);
  assert.equal(await stateOf(checkout), 'failed');
  const payment = { sessionId: checkout.sessionId, seen: 'paid' as const, price };
  await takeEvent(forgetfulServer().deps, { id: `evt_${checkout.id}`, type: 'checkout.session.completed', payment });
  assert.equal(await stateOf(checkout), 'completed');
});

test('a payment of the same figure in another currency is not delivered', async () => {
  const checkout = await inFlight('open', -60_000);
  const payment = { sessionId: checkout.sessionId, seen: 'paid' as const, price: { ...price, currency: 'JPY' } };
  const told = { id: `evt_${checkout.id}`, type: 'checkout.session.completed', payment };
  await assert.rejects(takeEvent(forgetfulServer().deps, told), /not over the price/);
  assert.equal(await stateOf(checkout), 'open');
});

test('a checkout whose payment is on its way by the time its page is closed is not canceled', async () => {
  const checkout = await inFlight('open', -60_000);
  const { deps } = forgetfulServer();
  const close = async () => {
    await db.database.query(`update checkouts set state = 'processing' where id = $1`, [checkout.id]);
    return null;
  };
  const provider = { ...deps.provider, close };
  await assert.rejects(
    cancelCheckout({ ...deps, provider }, checkout),
    (error) => (error as Fault).fault === 'state_conflict',
  );
  assert.equal(await stateOf(checkout), 'processing');
});

test('a checkout that is being changed is passed over by who looks for due ones, and each is given out once', async () => {
  const checkouts = [await inFlight('open', 0), await inFlight('open', 0), await inFlight('processing', 0)];
  const [busy, second, third] = checkouts.map(({ id }) => id);
  // Due in this order, and long before any other.
  for (const [index, { id }] of checkouts.entries())
    await db.database.query(`update checkouts set checked_at = now() - make_interval(days => $2) where id = $1`, [
      id,
      9 - index,
    ]);
  const claim = async (limit: number) => {
    const due = await db.database.transaction(async (tx) => {
      // Only who waits for the lock comes to this.
      await tx.query(`set local lock_timeout = '10s'`);
      return claimDueChecks(tx, { pauseMs: dayMs, limit });
    });
    return due.map(({ id }) => id);
  };
  await db.database.transaction(async (tx) => {
    await tx.query('select from checkouts where id = $1 for update', [busy]);
    assert.deepEqual(await claim(1), [second]);
    assert.deepEqual(await claim(100), [third]);
    assert.deepEqual(await claim(100), []);
  });
  assert.deepEqual(await claim(100), [busy]);
});
