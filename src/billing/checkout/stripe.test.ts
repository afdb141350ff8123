import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { createStripe } from './stripe.ts';

const webhookSecret = 'whsec_fanfold';
const stripe = createStripe({ secretKey: 'sk_test', webhookSecret, apiUrl: 'http://127.0.0.1:9' });
const body = Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', type: 'customer.created', data: {} }));

function signed({ secret = webhookSecret, agoSeconds = 0 } = {}): string {
  const at = Math.floor(Date.now() / 1_000) - agoSeconds;
  return `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;
}

test('a message that is refused says whether the secret is wrong or the clock', async () => {
  assert.equal(await stripe.readEvent(body, signed()), null, 'one about something else');
  await assert.rejects(stripe.readEvent(body, signed({ secret: 'whsec_other' })), { message: /not signed with/ });
  await assert.rejects(stripe.readEvent(body, signed({ agoSeconds: 400 })), { message: /by the clock of this server/ });
  // A server whose clock is behind takes them: what is ahead of it was not kept back by anybody.
  assert.equal(await stripe.readEvent(body, signed({ agoSeconds: -400 })), null);
});
