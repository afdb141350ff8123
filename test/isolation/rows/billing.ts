import { newId } from '#kernel';
import { everyone, ownAccount, ownObject, type Row, type Scene } from '../matrix.ts';

/** A checkout of the owner. Nothing is sold in this world, so it stands in the database without a provider behind it. */
async function ownersCheckout({ world }: Scene) {
  const id = newId('chk');
  await world.database.query(
    `insert into checkouts (id, account_id, state, micro, price_minor, currency, provider, provider_session_id, url, expires_at)
     values ($1, $2, 'canceled', 1000000, 100, 'EUR', 'stripe', $1, 'https://pay.example', now())`,
    [id, world.owner.accountId],
  );
  return { params: { checkoutId: id } };
}

export const rows: Row[] = [
  { operation: 'pricing.platform', expected: everyone() },
  { operation: 'pricing.models', expected: everyone() },
  {
    operation: 'pricing.estimate',
    expected: everyone(),
    request: () => ({ body: { operation: 'inference', model: 'fanfold-tiny-chat', active_ms: 1 } }),
  },
  { operation: 'credits.read', expected: ownAccount() },
  { operation: 'credits.usage', expected: ownAccount() },
  { operation: 'credits.summary', expected: ownAccount(), request: () => ({ query: { group_by: 'day' } }) },
  {
    operation: 'checkouts.create',
    expected: ownAccount('409 state_conflict'),
    request: () => ({ body: { pack_id: 'small' } }),
  },
  { operation: 'checkouts.read', expected: ownObject(), request: ownersCheckout },
  { operation: 'checkouts.cancel', expected: ownObject(), request: ownersCheckout },
  { operation: 'checkouts.webhook', expected: everyone('404 not_found'), request: () => ({ body: {} }) },
];
