import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openShop } from './checkout.fixture.ts';

const { stripe, close, someone, webhook, tell, purchases } = await openShop();
after(close);

test('messages that come again, all at once and in any order credit once', async () => {
  const { accountId, open, settled, state } = await someone();
  const { id, sessionId } = await open();
  const early = stripe.event('checkout.session.completed', sessionId);
  stripe.pay(sessionId, 'slowly');
  const waiting = stripe.event('checkout.session.completed', sessionId);
  stripe.settle(sessionId, true);
  const done = stripe.event('checkout.session.async_payment_succeeded', sessionId);
  const again = stripe.event('checkout.session.async_payment_succeeded', sessionId);
  const expired = stripe.event('checkout.session.expired', sessionId);
  const events = [done, expired, waiting, again, early, done, again];
  const answers = await Promise.all([...events, ...events].map((event) => stripe.send(webhook(), event)));
  assert.deepEqual(new Set(answers), new Set([200]));
  assert.deepEqual([await state(id), await settled()], ['completed', '100.000000']);
  for (const event of events) assert.equal(await stripe.send(webhook(), event), 200);
  assert.equal((await purchases(accountId)).length, 1);
});

test('money that arrives after the checkout was given up still counts', async () => {
  const { open, settled, state } = await someone();
  const { id, sessionId } = await open();
  await tell('expired', sessionId);
  assert.equal(await state(id), 'expired');
  stripe.pay(sessionId);
  await tell('completed', sessionId);
  assert.deepEqual([await state(id), await settled()], ['completed', '100.000000']);
});

test('a message that the provider did not sign, or signed long ago, does nothing', async () => {
  const { open, settled } = await someone();
  const { sessionId } = await open();
  stripe.pay(sessionId);
  const event = stripe.event('checkout.session.completed', sessionId);
  const old = Math.floor(Date.now() / 1_000) - 301;
  assert.equal(await stripe.send(webhook(), event, { secret: 'whsec_other' }), 400);
  assert.equal(await stripe.send(webhook(), event, { at: old }), 400);
  for (const headers of [{}, { 'stripe-signature': 't=1,v1=00' }, { 'stripe-signature': 'x' }]) {
    const body = JSON.stringify(event);
    const response = await fetch(webhook(), {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
    assert.equal(response.status, 400);
  }
  assert.equal(await settled(), '0.000000');
});

test('messages about other things, or checkouts of somebody else, are taken and do nothing', async () => {
  const { open } = await someone();
  const { sessionId } = await open();
  const plain = stripe.event('customer.created', sessionId);
  const foreign = { ...stripe.event('checkout.session.completed', sessionId), data: { object: { id: 'cs_other' } } };
  for (const event of [plain, foreign]) assert.equal(await stripe.send(webhook(), event), 200);
});

test('a message that is too large is refused, and one that is no JSON cannot be signed', async () => {
  const { open } = await someone();
  const { sessionId } = await open();
  const event = { ...stripe.event('checkout.session.completed', sessionId), padding: 'x'.repeat(1_100_000) };
  assert.equal(await stripe.send(webhook(), event), 413);
});

test('a payment over another sum than the price is not delivered', async () => {
  const { open, settled } = await someone();
  const { sessionId } = await open();
  const session = stripe.pay(sessionId);
  session.amount_subtotal = 1;
  assert.equal(await stripe.send(webhook(), stripe.event('checkout.session.completed', sessionId)), 500);
  assert.equal(await settled(), '0.000000');
});
