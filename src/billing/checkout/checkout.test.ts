import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#kernel';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { waitFor } from '#test/money.ts';
import { doctor } from '../doctor.ts';
import { type Json, openShop, secretKey, webhookSecret } from './checkout.fixture.ts';
import { createReconciliation } from './reconciliation.ts';
import { createStripe } from './stripe.ts';

const { database, stripe, close, someone, sessionOf, tell, purchases } = await openShop();
after(close);

test('a buyer pays a pack, and its credits come once the provider says so', async () => {
  const { accountId, ask, settled } = await someone();
  const opened = await ask('POST', '/checkout', { pack_id: 'small' });
  const { id, url, created_at, expires_at, ...rest } = opened.json;
  assert.deepEqual(rest, {
    state: 'open',
    credits: '100.000000',
    pack_id: 'small',
    price: { amount: '10.00', currency: 'USD' },
    provider: 'stripe',
    completed_at: null,
  });
  const session = stripe.sessions.get(sessionOf(String(id)));
  assert.deepEqual(
    [session?.amount_total, session?.currency, session?.url, session?.success_url],
    [1_000, 'usd', url, `https://models.example/credits/checkout/${id}`],
  );
  assert.equal(expires_at, new Date((session?.expires_at ?? 0) * 1_000).toISOString());
  assert.ok(created_at);
  assert.equal(await settled(), '0.000000');

  stripe.pay(session?.id ?? '');
  await tell('completed', session?.id ?? '');
  const { json } = await ask('GET', `/checkout/${id}`);
  assert.deepEqual([json.state, json.url], ['completed', null]);
  assert.ok(json.completed_at);
  const credits = (await ask('GET', '')).json;
  assert.deepEqual([credits.settled, (credits.lifetime as Json).purchased], ['100.000000', '100.000000']);
  assert.deepEqual(await purchases(accountId), [{ micro: 100_000_000n, note: '100 credits' }]);
  const [told] = await database.query<{ message: string; subject_id: string }>(
    `select message, subject_id from activity where account_id = $1 and type = 'credits.purchased'`,
    [accountId],
  );
  assert.deepEqual(told, { message: '100 credits were bought.', subject_id: id });
});

test('any number of credits is sold at the price of one, and the buyer returns where he wants', async () => {
  const { open, settled } = await someone();
  const { sessionId } = await open({
    credits: '12.345678',
    success_url: 'https://shop.example/thanks?x=1',
    cancel_url: 'http://localhost:3000/back',
  });
  const session = stripe.sessions.get(sessionId);
  assert.deepEqual(
    [session?.amount_total, session?.currency, session?.success_url, session?.cancel_url],
    [124, 'eur', 'https://shop.example/thanks?x=1', 'http://localhost:3000/back'],
  );
  stripe.pay(sessionId);
  await tell('completed', sessionId);
  assert.equal(await settled(), '12.345678');
});

test('a bank that takes its time keeps the checkout waiting until it has paid, or refused', async () => {
  const { open, settled, state } = await someone();
  const [paid, refused] = [await open(), await open({ pack_id: 'yen' })];
  for (const { id, sessionId } of [paid, refused]) {
    stripe.pay(sessionId, 'slowly');
    await tell('completed', sessionId);
    assert.equal(await state(id), 'processing');
  }
  assert.equal(await settled(), '0.000000');
  stripe.settle(paid.sessionId, true);
  await tell('async_payment_succeeded', paid.sessionId);
  stripe.settle(refused.sessionId, false);
  await tell('async_payment_failed', refused.sessionId);
  assert.deepEqual([await state(paid.id), await state(refused.id)], ['completed', 'failed']);
  assert.equal(await settled(), '100.000000');
});

test('a message that is lost is made up for when the buyer looks, at most every three seconds', async () => {
  const { open, settled, state, accountId } = await someone();
  const { id, sessionId } = await open();
  stripe.pay(sessionId);
  const asked = () =>
    stripe.requests.filter((line) => line.startsWith(`GET /v1/checkout/sessions/${sessionId}`)).length;
  assert.equal(await state(id), 'open', 'it was just opened');
  assert.equal(asked(), 0);
  await database.query(`update checkouts set checked_at = now() - interval '4 seconds' where id = $1`, [id]);
  const states = await Promise.all(Array.from({ length: 10 }, () => state(id)));
  assert.ok(states.includes('completed'));
  assert.equal(asked(), 1);
  await tell('completed', sessionId);
  assert.equal(await settled(), '100.000000');
  assert.equal((await purchases(accountId)).length, 1);
});

test('a message that is lost is made up for by itself when nobody looks, by one of all servers', async () => {
  const { open, settled, accountId } = await someone();
  const [paid, idle] = [await open(), await open()];
  stripe.pay(paid.sessionId);
  await database.query(`update checkouts set checked_at = now() - interval '1 hour' where account_id = $1`, [
    accountId,
  ]);
  const asked = (sessionId: string) => stripe.requests.filter((line) => line.includes(sessionId)).length;
  const timing = { pauseMs: 10, askAgainMs: 5 * 60_000 };
  const servers = [1, 2, 3].map(() =>
    createReconciliation(
      {
        database,
        provider: createStripe({ secretKey, webhookSecret, apiUrl: stripe.url }),
        packs: [],
        creditPrice: null,
        clock: systemClock,
        onPurchase: () => {},
      },
      timing,
    ),
  );
  for (const server of servers) server.start();
  await waitFor(async () => asked(paid.sessionId) > 0 && asked(idle.sessionId) > 0);
  await Promise.all(servers.map((server) => server.stop()));
  assert.deepEqual([asked(paid.sessionId), asked(idle.sessionId)], [1, 1]);
  assert.equal(await settled(), '100.000000');
});

test('while the provider is away nothing is opened, nothing is lost, and what is known is told', async () => {
  const { ask, open, state, accountId } = await someone();
  const { id } = await open();
  await database.query(`update checkouts set checked_at = now() - interval '1 hour' where id = $1`, [id]);
  for (const mood of ['broken', 'down'] as const) {
    stripe.mood.value = mood;
    const { status, json, headers } = await ask('POST', '/checkout', { pack_id: 'small' });
    assert.deepEqual([status, json.error.code], [503, 'service_unavailable']);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal(await state(id), 'open');
  }
  stripe.mood.value = 'well';
  const [row] = await database.query<{ count: bigint }>('select count(*) from checkouts where account_id = $1', [
    accountId,
  ]);
  assert.equal(row?.count, 1n);
});

test('an open checkout can be canceled, a paid one cannot, and what is canceled stays so', async () => {
  const { ask, open, settled } = await someone();
  const [idle, paid] = [await open(), await open()];
  const cancel = (id: string) => ask('POST', `/checkout/${id}/cancel`);
  for (const time of ['once', 'twice']) {
    const { status, json } = await cancel(idle.id);
    assert.deepEqual([status, json.state, json.url], [200, 'canceled', null], time);
  }
  assert.equal(stripe.sessions.get(idle.sessionId)?.status, 'expired');
  await tell('expired', idle.sessionId);
  assert.equal((await cancel(idle.id)).json.state, 'canceled');

  stripe.pay(paid.sessionId);
  const { status, json } = await cancel(paid.id);
  assert.deepEqual(
    [status, json.error.code, json.error.details],
    [409, 'state_conflict', { state: 'completed', allowed_from: ['open'] }],
  );
  assert.equal(await settled(), '100.000000');
});

test('bad orders are refused and named, and nothing is opened for them', async () => {
  const { ask } = await someone();
  const before = stripe.sessions.size;
  for (const [body, status, param] of [
    [{}, 400, 'pack_id'],
    [{ pack_id: 'none' }, 400, 'pack_id'],
    [{ pack_id: 'small', credits: '5' }, 400, 'credits'],
    [{ credits: '0.999999' }, 400, 'credits'],
    [{ credits: '1000000.000001' }, 400, 'credits'],
    [{ credits: '-5' }, 400, 'credits'],
    [{ credits: '1' }, 400, 'credits'],
    [{ credits: 5 }, 422, 'credits'],
    [{ pack_id: 'small', success_url: 'javascript:alert(1)' }, 400, 'success_url'],
    [{ pack_id: 'small', cancel_url: '/relative' }, 400, 'cancel_url'],
  ] as const) {
    const { status: got, json } = await ask('POST', '/checkout', body);
    assert.deepEqual([got, json.error.param], [status, param], JSON.stringify(body));
  }
  assert.equal(stripe.sessions.size, before);
});

test("somebody else's checkout is as unknown as one that never was", async () => {
  const [mine, other] = [await someone(), await someone()];
  const { id } = await mine.open();
  for (const each of [id, 'chk_00000000000000000000000000', 'x'])
    for (const [method, path] of [
      ['GET', `/checkout/${each}`],
      ['POST', `/checkout/${each}/cancel`],
    ] as const) {
      const { status, json } = await other.ask(method, path);
      assert.deepEqual([status, json.error.code], [404, 'not_found']);
    }
});

test('an account opens at most thirty checkouts an hour, however many it asks for at once', async () => {
  const { ask, accountId } = await someone();
  const order = async () => (await ask('POST', '/checkout', { pack_id: 'small' })).status;
  const orders = async (count: number) => (await Promise.all(Array.from({ length: count }, order))).sort().join(' ');
  stripe.mood.value = 'broken';
  assert.equal(await order(), 503);
  stripe.mood.value = 'well';
  assert.equal(await orders(40), [...Array(30).fill(201), ...Array(10).fill(429)].join(' '));
  const age = `update checkout_attempts set attempted_at[1] = now() - interval '61 minutes' where account_id = $1`;
  await database.query(age, [accountId]);
  assert.equal(await orders(3), '201 429 429');
});

test('where nothing is sold, checkout says so, and there is no webhook', async () => {
  const plain = await startApp(database);
  try {
    const { accountId } = await seedAccount(database);
    const { key } = await seedKey(database, { accountId });
    const response = await fetch(`${plain.origin}/api/v1/credits/checkout`, {
      method: 'POST',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ pack_id: 'small' }),
    });
    const { error } = (await response.json()) as Json;
    assert.deepEqual(
      [response.status, error.code, error.details],
      [409, 'state_conflict', { reason: 'checkout_disabled' }],
    );
    assert.equal(await stripe.send(`${plain.origin}/api/v1/stripe/webhook`, {}), 404);
    const terms = (await (await fetch(`${plain.origin}/api/v1/pricing/platform`)).json()) as Json;
    assert.deepEqual([terms.checkout_enabled, terms.packs], [false, []]);
  } finally {
    await plain.stop();
  }
});

test('the doctor finds a purchase without its payment, and a payment without its credits', async () => {
  const findings = async () => (await doctor(database)).filter(({ check }) => check === 'purchase');
  assert.deepEqual(await findings(), []);
  const { open } = await someone();
  const { id, sessionId } = await open();
  await database.query(`update checkouts set state = 'completed', completed_at = now() where id = $1`, [id]);
  assert.deepEqual(
    (await findings()).map(({ subject }) => subject),
    [id],
  );
  await database.query(`update checkouts set state = 'open', completed_at = null where id = $1`, [id]);
  stripe.pay(sessionId);
  await tell('completed', sessionId);
  assert.deepEqual(await findings(), []);
  await database.query('update checkouts set micro = micro + 1 where id = $1', [id]);
  assert.equal((await findings()).length, 1);
});
