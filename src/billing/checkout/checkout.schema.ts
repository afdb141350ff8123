import Type, { type Static } from 'typebox';
import { creditsText, nullable, said, timestamp } from '#http';
import { fault, formatCredits, type Micro, microPerCredit, parseCredits } from '#kernel';
import { moneySchema, moneyToWire } from '../pricing/pricing.schema.ts';
import { checkoutStates } from './checkout-state.ts';
import type { Checkout } from './checkouts.store.ts';

const returnUrl = (english: string, chinese: string) =>
  Type.Optional(Type.String({ ...said(english, chinese), maxLength: 2048 }));

export const checkoutBody = Type.Object({
  pack_id: Type.Optional(
    Type.String({
      ...said('A pack of `GET /api/v1/pricing/platform`.', '`GET /api/v1/pricing/platform` 中的额度包。'),
      maxLength: 40,
    }),
  ),
  credits: Type.Optional(
    Type.String(
      said(
        'Credits to buy, where any number is sold: 1 to 1,000,000, with at most six decimals.',
        '要购买的额度（仅在可购买任意数量时）：1 至 1,000,000，最多六位小数。',
      ),
    ),
  ),
  success_url: returnUrl(
    'Where the buyer is sent afterwards; by default the page of the checkout in the web app.',
    '付款后返回的地址，默认为网页应用中的结账页面。',
  ),
  cancel_url: returnUrl('Where a buyer is sent who goes back.', '取消付款后返回的地址。'),
});

export const checkoutSchema = Type.Object(
  {
    id: Type.String(said('Id of the checkout.', '结账的 ID。')),
    state: Type.Enum(
      [...checkoutStates],
      said(
        '`open` waits for the buyer, `processing` for his bank. Credits come with `completed`, once.',
        '`open` 等待买家付款，`processing` 等待银行确认；`completed` 时额度到账，且只到账一次。',
      ),
    ),
    credits: creditsText(said('What is bought.', '购买的额度。')),
    pack_id: nullable(Type.String(), said('The pack, if it is one.', '所购额度包（如有）。')),
    price: moneySchema,
    url: nullable(
      Type.String(),
      said('Page where it is paid; null when it is not open.', '付款页面；不处于 open 状态时为 null。'),
    ),
    provider: Type.Literal('stripe', said('Who takes the money.', '支付服务商。')),
    created_at: timestamp(said('When it was opened.', '创建时间。')),
    expires_at: timestamp(said('Until when it can be paid.', '付款截止时间。')),
    completed_at: nullable(
      timestamp(said('When the credits came.', '额度到账时间。')),
      said('Null before.', '到账前为 null。'),
    ),
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
