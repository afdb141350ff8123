import assert from 'node:assert/strict';
import { bearer, seedAccount, seedKey } from '#test/accounts.ts';
import { startApp } from '#test/app.ts';
import { createTestDatabase } from '#test/database.ts';
import { startStripe } from '#test/stripe-server.ts';

export const secretKey = 'sk_test_fanfold';
export const webhookSecret = 'whsec_fanfold';

export type Json = Record<string, unknown> & { error: { code: string; param: string | null; details: unknown } };
type Method = 'GET' | 'POST';

/** The wired program, the provider that its buyers pay at, and buyers. */
export async function openShop() {
  const { database, drop } = await createTestDatabase();
  const stripe = await startStripe({ secretKey, webhookSecret });
  const app = await startApp(database, {
    settings: {
      STRIPE_SECRET_KEY: secretKey,
      STRIPE_WEBHOOK_SECRET: webhookSecret,
      STRIPE_API_URL: stripe.url,
      FANFOLD_CREDIT_PACKS: 'small=100@10.00USD,yen=5@500JPY',
      FANFOLD_CREDIT_PRICE: '0.10EUR',
      FANFOLD_PUBLIC_URL: 'https://models.example',
    },
  });
  const close = async () => {
    await app.stop();
    await stripe.stop();
    await drop();
  };

  /** An account, and ways to ask as it. */
  async function someone() {
    const { accountId } = await seedAccount(database);
    const { key } = await seedKey(database, { accountId });
    const ask = async (method: Method, path: string, body?: object, headers: Record<string, string> = {}) => {
      const response = await fetch(`${app.origin}/api/v1/credits${path}`, {
        method,
        headers: { ...bearer(key), ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      // as: every answer here is an object; what it holds is what is tested.
      return { status: response.status, headers: response.headers, json: (await response.json()) as Json };
    };
    const open = async (body: object = { pack_id: 'small' }) => {
      const { status, json } = await ask('POST', '/checkout', body);
      assert.equal(status, 201, JSON.stringify(json));
      const id = String(json.id);
      return { id, sessionId: sessionOf(id), url: json.url };
    };
    const settled = async () => (await ask('GET', '')).json.settled;
    const state = async (id: string) => (await ask('GET', `/checkout/${id}`)).json.state;
    return { accountId, ask, open, settled, state };
  }

  function sessionOf(checkoutId: string): string {
    const session = [...stripe.sessions.values()].find(({ client_reference_id: id }) => id === checkoutId);
    assert.ok(session, 'the provider knows the checkout');
    return session.id;
  }

  const webhook = () => `${app.origin}/api/v1/stripe/webhook`;

  async function tell(type: string, sessionId: string): Promise<void> {
    assert.equal(await stripe.send(webhook(), stripe.event(`checkout.session.${type}`, sessionId)), 200);
  }

  const purchases = (accountId: string) =>
    database.query<{ micro: bigint; note: string }>(
      `select micro, note from ledger where account_id = $1 and type = 'purchase'`,
      [accountId],
    );

  return { database, stripe, app, close, someone, sessionOf, webhook, tell, purchases };
}
