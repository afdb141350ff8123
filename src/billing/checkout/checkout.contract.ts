import type { Contract } from '#http';
import { checkoutSchema } from './checkout.schema.ts';

const tag = 'credits';

const open = {
  id: 'chk_01KAXR4T5M0Q2Z8W6V3N1B7C9D',
  state: 'open',
  credits: '100.000000',
  pack_id: 'small',
  price: { amount: '10.00', currency: 'USD' },
  url: 'https://checkout.stripe.com/c/pay/cs_live_a1b2c3',
  provider: 'stripe',
  created_at: '2026-01-02T03:04:05.678Z',
  expires_at: '2026-01-03T03:04:05.000Z',
  completed_at: null,
};

const checkout = (example: object) => ({
  description: 'The checkout.',
  schema: checkoutSchema,
  example,
});

export const createContract: Contract = {
  tag,
  summary: 'Buy credits',
  description:
    'Opens a checkout at the payment provider; send the buyer to `url`. Where nothing is sold, 409 `state_conflict` with `details.reason` `checkout_disabled`: the operator grants credits there. Refunds are made at the provider and do not take credits back.',
  bodyExample: { pack_id: 'small' },
  answers: { 201: checkout(open) },
  faults: ['state_conflict', 'rate_limited'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: 'Read a checkout',
  description: 'While it is in progress the payment provider is asked, at most every three seconds.',
  answers: {
    200: checkout({ ...open, state: 'completed', url: null, completed_at: '2026-01-02T03:05:06.789Z' }),
  },
};

export const cancelContract: Contract = {
  tag,
  summary: 'Cancel a checkout',
  description:
    'Ends a checkout that was not paid; its page does not take money any more. A canceled one stays as it is.',
  answers: { 200: checkout({ ...open, state: 'canceled', url: null }) },
  faults: ['state_conflict'],
};
