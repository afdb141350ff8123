import Type, { type Static } from 'typebox';
import { creditsText, nullable, timestamp } from '#http';
import { fault, formatCredits, type Micro, microPerCredit, parseCredits } from '#kernel';
import { moneySchema, moneyToWire } from '../pricing/pricing.schema.ts';
import { checkoutStates } from './checkout-state.ts';
import type { Checkout } from './checkouts.store.ts';

const returnUrl = (description: string) => Type.Optional(Type.String({ description, maxLength: 2048 }));

export const checkoutBody = Type.Object({
  pack_id: Type.Optional(
    Type.String({
      description: 'A pack of `GET /api/v1/pricing/platform`.',
      maxLength: 40,
    }),
  ),
  credits: Type.Optional(
    Type.String({
      description: 'Credits to buy, where any number is sold: 1 to 1,000,000, with at most six decimals.',
    }),
  ),
  success_url: returnUrl('Where the buyer is sent afterwards; by default the page of the checkout in the web app.'),
  cancel_url: returnUrl('Where a buyer is sent who goes back.'),
});

export const checkoutSchema = Type.Object(
  {
    id: Type.String({ description: 'Id of the checkout.' }),
    state: Type.Enum([...checkoutStates], {
      description: '`open` waits for the buyer, `processing` for his bank. Credits come with `completed`, once.',
    }),
    credits: creditsText('What is bought.'),
    pack_id: nullable(Type.String(), 'The pack, if it is one.'),
    price: moneySchema,
    url: nullable(Type.String(), 'Page where it is paid; null when it is not open.'),
    provider: Type.Literal('stripe', { description: 'Who takes the money.' }),
    created_at: timestamp('When it was opened.'),
    expires_at: timestamp('Until when it can be paid.'),
    completed_at: nullable(timestamp('When the credits came.'), 'Null before.'),
  },
  { $id: 'Checkout' },
);

export function checkoutToWire(checkout: Checkout): Static<typeof checkoutSchema> {
  const { id, state, micro, packId, price, url, createdAt, expiresAt, completedAt } = checkout;
  return {
    id,
    state,
    credits: formatCredits(micro),
    pack_id: packId,
    price: moneyToWire(price),
    url: state === 'open' ? url : null,
    provider: 'stripe',
    created_at: createdAt.toISOString(),
    expires_at: expiresAt.toISOString(),
    completed_at: completedAt?.toISOString() ?? null,
  };
}

const mostCredits = 1_000_000n;

/** The number of credits in an order; null: it names a pack. */
export function readCredits({ pack_id, credits }: Static<typeof checkoutBody>): Micro | null {
  if (credits === undefined) return null;
  if (pack_id !== undefined)
    throw fault('invalid_request', { message: 'credits: send it or pack_id, not both.', param: 'credits' });
  const micro = parseCredits(credits);
  if (micro !== null && micro >= microPerCredit && micro <= mostCredits * microPerCredit) return micro;
  throw fault('invalid_request', {
    message: 'credits: expected 1 to 1000000 with at most six decimals, as text.',
    param: 'credits',
  });
}

/** An address of the web, for a browser to go to. */
export function readReturnUrl(text: string, param: 'success_url' | 'cancel_url'): string {
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw fault('invalid_request', { message: `${param}: expected an address that starts with https://.`, param });
}
