import { type Contract, said } from '#http';
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
  description: said('The checkout.', '该结账。'),
  schema: checkoutSchema,
  example,
});

export const createContract: Contract = {
  tag,
  summary: said('Buy credits', '购买额度'),
  description: said(
    'Opens a checkout at the payment provider; send the buyer to `url`. Where nothing is sold, 409 `state_conflict` with `details.reason` `checkout_disabled`: the operator grants credits there. Refunds are made at the provider and do not take credits back.',
    '在支付服务商处创建结账，请将买家引导至 `url`。未开通销售时返回 409 `state_conflict`，`details.reason` 为 `checkout_disabled`，此时由运营方发放额度。退款在支付服务商处办理，不会扣回额度。',
  ),
  bodyExample: { pack_id: 'small' },
  answers: { 201: checkout(open) },
  faults: ['state_conflict', 'rate_limited'],
  idempotent: true,
};

export const readContract: Contract = {
  tag,
  summary: said('Read a checkout', '查询结账'),
  description: said(
    'While it is under way the payment provider is asked, at most every three seconds.',
    '处理期间会向支付服务商查询，最多每三秒一次。',
  ),
  answers: {
    200: checkout({ ...open, state: 'completed', url: null, completed_at: '2026-01-02T03:05:06.789Z' }),
  },
};

export const cancelContract: Contract = {
  tag,
  summary: said('Cancel a checkout', '取消结账'),
  description: said(
    'Ends a checkout that was not paid; its page does not take money any more. A canceled one stays as it is.',
    '结束尚未付款的结账，其付款页面随即失效。已取消的结账保持不变。',
  ),
  answers: { 200: checkout({ ...open, state: 'canceled', url: null }) },
  faults: ['state_conflict'],
};
