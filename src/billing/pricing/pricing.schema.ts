import Type, { type Static } from 'typebox';
import { creditsText, nullable, pageQuery, said, timestamp } from '#http';
import { billingUnitMs, formatCredits, type Micro, priceOfUnits } from '#kernel';
import type { Estimate, Figures } from './estimate.ts';
import { type CreditPack, formatAmount, type Price } from './packs.ts';
import { type ListedPrice, operations, type PriceList } from './price-list.ts';

export const moneySchema = Type.Object(
  {
    amount: Type.String(said('Amount, with the decimals of the currency.', '金额，小数位数与货币一致。')),
    currency: Type.String({ ...said('ISO 4217 code.', 'ISO 4217 货币代码。'), pattern: '^[A-Z]{3}$' }),
  },
  { $id: 'Money', ...said('What it costs.', '价格。') },
);

const fixed = <Value extends string | number>(value: Value, english: string, chinese: string) =>
  Type.Literal(value, said(english, chinese));

export const platformSchema = Type.Object({
  price_version: Type.String(said('Version of the price list.', '价目表版本。')),
  effective_from: timestamp(said('Since when it holds.', '生效时间。')),
  billing_unit_ms: fixed(
    billingUnitMs,
    'Active time is counted in units of so many milliseconds.',
    '计费单位的毫秒数。',
  ),
  minimum_units: fixed(1, 'A successful call costs at least so many units.', '一次成功调用的最少计费单位数。'),
  rounding: fixed('ceil_per_request', 'Units of each call are rounded up.', '每次调用的计费单位数向上取整。'),
  credit_decimals: fixed(6, 'Decimals of all amounts of credits.', '额度的小数位数。'),
  training: Type.Object(
    {
      charged_from: fixed('running', 'Training is charged from when it runs.', '训练从开始运行时计费。'),
      never_started: fixed('free', 'A run that never starts is free.', '从未开始运行的训练免费。'),
    },
    said('How training is charged.', '训练的计费方式。'),
  ),
  signup_credits: creditsText(said('Credits of a new account.', '新账户获得的额度。')),
  packs: Type.Array(
    Type.Object({
      id: Type.String(said('For `pack_id` of a checkout.', '用于结账请求的 `pack_id`。')),
      credits: creditsText(said('Credits in the pack.', '包含的额度。')),
      price: moneySchema,
    }),
    said('Credits that are sold.', '出售的额度包。'),
  ),
  credit_price: nullable(
    moneySchema,
    said('Price of one credit, when any number is sold.', '单个额度的价格；仅在可购买任意数量时提供。'),
  ),
  checkout_enabled: Type.Boolean(said('Credits can be bought here.', '是否可以在此购买额度。')),
});

export const pricesQuery = Type.Object({
  ...pageQuery,
  kind: Type.Optional(Type.Enum(['text', 'embedding'], said('Only models of this kind.', '只返回此类型的模型。'))),
  operation: Type.Optional(Type.Enum([...operations], said('Only prices of this operation.', '只返回此操作的价格。'))),
});

export const priceSchema = Type.Object(
  {
    model: Type.String(said('Id of the base model.', '基础模型的 ID。')),
    kind: Type.Enum(['text', 'embedding'], said('Kind of the model.', '模型类型。')),
    operation: Type.Enum([...operations], said('What is done with it.', '操作类型。')),
    credits_per_gpu_minute: creditsText(said('Rate.', '费率。')),
    credits_per_unit: creditsText(
      said(
        'What one unit of 100 ms costs; a call is rounded once, as a whole.',
        '一个 100 毫秒计费单位的费用；每次调用整体只舍入一次。',
      ),
    ),
    free: Type.Boolean(said('It costs nothing.', '是否免费。')),
    price_version: Type.String(said('Version of the price list.', '价目表版本。')),
    effective_from: timestamp(said('Since when it holds.', '生效时间。')),
  },
  { $id: 'Price' },
);

const count = (most: number, english: string, chinese: string, least = 1) =>
  Type.Optional(Type.Integer({ ...said(english, chinese), minimum: least, maximum: most }));

export const estimateBody = Type.Object({
  operation: Type.Enum(['inference', 'training'], said('What is to be done.', '操作类型。')),
  model: Type.Optional(Type.String(said('Base model of the calls.', '调用的基础模型。'))),
  base_model: Type.Optional(Type.String(said('Base model of the training.', '训练的基础模型。'))),
  requests: count(1_000_000_000, 'Calls of this size; 1 by default.', '同等规模的调用次数，默认 1。'),
  active_ms: Type.Optional(
    Type.Number({
      ...said('Active time of one call, ms.', '单次调用的活跃时间（毫秒）。'),
      exclusiveMinimum: 0,
      maximum: 1e10,
    }),
  ),
  prompt_tokens: count(10_000_000, 'Tokens of the prompt of one call.', '单次调用中提示词的词元数。', 0),
  max_tokens: count(10_000_000, 'Most tokens of the answer.', '回答的最大词元数。'),
  inputs: count(1_000, 'Inputs of one call.', '单次调用的输入个数。'),
  input_tokens: count(10_000_000, 'Tokens of each input.', '每个输入的词元数。'),
  examples: count(100_000_000, 'Examples of the dataset.', '数据集的样本数。'),
  tokens: count(1_000_000_000_000, 'Tokens of all examples, when known.', '全部样本的词元数（如已知）。'),
  hyperparameters: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Unknown(),
      said('As for a training job, with the same defaults.', '与训练任务相同，默认值也相同。'),
    ),
  ),
});

const figures = <Value extends ReturnType<typeof Type.Integer> | ReturnType<typeof creditsText>>(
  value: Value,
  english: string,
  chinese: string,
) => Type.Object({ low: value, expected: value, high: value }, said(english, chinese));

export const estimateSchema = Type.Object({
  units: figures(
    Type.Integer({ ...said('Units of 100 ms.', '100 毫秒的计费单位数。'), minimum: 1 }),
    'Units of all calls together.',
    '全部调用的计费单位数。',
  ),
  active_ms: figures(
    Type.Integer({ ...said('Milliseconds.', '毫秒数。'), minimum: 0 }),
    'Active time of all calls together.',
    '全部调用的活跃时间。',
  ),
  credits: figures(creditsText(said('Credits.', '额度。')), 'What it would cost.', '预计费用。'),
  rate: creditsText(said('Credits per GPU minute.', '每 GPU 分钟的额度。')),
  price_version: Type.String(said('Version of the price list.', '价目表版本。')),
  basis: Type.Enum(
    ['exact', 'measured', 'catalog_profile'],
    said(
      'Where the time comes from: it was given; this server measured its pace; it follows from the size of the model.',
      '时间的依据：由请求给出、由本服务实测，或根据模型规模推算。',
    ),
  ),
  assumptions: Type.Array(Type.String(), said('What the numbers assume, in English.', '估算所依据的假设（英文）。')),
});

export type PlatformTerms = {
  prices: PriceList;
  signUpMicro: Micro;
  packs: readonly CreditPack[];
  creditPrice: Price | null;
  checkoutEnabled: boolean;
};

export function platformToWire(terms: PlatformTerms): Static<typeof platformSchema> {
  const { prices, signUpMicro, packs, creditPrice, checkoutEnabled } = terms;
  return {
    price_version: prices.priceVersion,
    effective_from: prices.effectiveFrom.toISOString(),
    billing_unit_ms: billingUnitMs,
    minimum_units: 1,
    rounding: 'ceil_per_request',
    credit_decimals: 6,
    training: { charged_from: 'running', never_started: 'free' },
    signup_credits: formatCredits(signUpMicro),
    packs: packs.map(({ id, micro, price }) => ({ id, credits: formatCredits(micro), price: moneyToWire(price) })),
    credit_price: creditPrice && moneyToWire(creditPrice),
    checkout_enabled: checkoutEnabled,
  };
}

export function moneyToWire(price: Price): Static<typeof moneySchema> {
  return { amount: formatAmount(price), currency: price.currency };
}

export function priceToWire({ model, operation, rateMicroPerMinute }: ListedPrice): Static<typeof priceSchema> {
  return {
    model: model.id,
    kind: model.kind,
    operation,
    credits_per_gpu_minute: formatCredits(rateMicroPerMinute),
    credits_per_unit: formatCredits(priceOfUnits(1n, rateMicroPerMinute)),
    free: rateMicroPerMinute === 0n,
    price_version: model.priceVersion,
    effective_from: model.effectiveFrom.toISOString(),
  };
}

export function estimateToWire(
  { units, activeMs, micro, basis, assumptions }: Estimate,
  { model, rateMicroPerMinute }: ListedPrice,
): Static<typeof estimateSchema> {
  return {
    units: shown(units, Number),
    active_ms: shown(activeMs, (ms) => ms),
    credits: shown(micro, formatCredits),
    rate: formatCredits(rateMicroPerMinute),
    price_version: model.priceVersion,
    basis,
    assumptions,
  };
}

function shown<A, B>({ low, expected, high }: Figures<A>, show: (value: A) => B): Figures<B> {
  return { low: show(low), expected: show(expected), high: show(high) };
}
