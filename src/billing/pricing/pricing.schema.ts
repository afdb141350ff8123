import Type, { type Static } from 'typebox';
import { billingUnitMs, priceOfUnits } from '#calls';
import { creditsText, nullable, pageQuery, timestamp } from '#http';
import { formatCredits, type Micro } from '#kernel';
import type { Estimate, Figures } from './estimate.ts';
import { type CreditPack, formatAmount, type Price } from './packs.ts';
import { type ListedPrice, operations, type PriceList, pricedKinds } from './price-list.ts';

export const moneySchema = Type.Object(
  {
    amount: Type.String({ description: 'Amount, with the decimals of the currency.' }),
    currency: Type.String({ description: 'ISO 4217 code.', pattern: '^[A-Z]{3}$' }),
  },
  { $id: 'Money', description: 'What it costs.' },
);

const fixed = <Value extends string | number>(value: Value, description: string) =>
  Type.Literal(value, { description });

export const platformSchema = Type.Object({
  price_version: Type.String({ description: 'Version of the price list.' }),
  effective_from: timestamp('Since when it holds.'),
  billing_unit_ms: fixed(billingUnitMs, 'Active time is counted in units of so many milliseconds.'),
  minimum_units: fixed(1, 'A successful call costs at least so many units.'),
  rounding: fixed('ceil_per_request', 'Units of each call are rounded up.'),
  credit_decimals: fixed(6, 'Decimals of all amounts of credits.'),
  training: Type.Object(
    {
      charged_from: fixed('running', 'Training is charged from when it runs.'),
      never_started: fixed('free', 'A run that never starts is free.'),
    },
    { description: 'How training is charged.' },
  ),
  signup_credits: creditsText('Credits of a new account.'),
  packs: Type.Array(
    Type.Object({
      id: Type.String({ description: 'For `pack_id` of a checkout.' }),
      credits: creditsText('Credits in the pack.'),
      price: moneySchema,
    }),
    { description: 'Credits that are sold.' },
  ),
  credit_price: nullable(moneySchema, 'Price of one credit, when any number is sold.'),
  checkout_enabled: Type.Boolean({ description: 'Credits can be bought here.' }),
});

export const pricesQuery = Type.Object({
  ...pageQuery,
  kind: Type.Optional(Type.Enum([...pricedKinds], { description: 'Only models of this kind.' })),
  operation: Type.Optional(Type.Enum([...operations], { description: 'Only prices of this operation.' })),
});

export const priceSchema = Type.Object(
  {
    model: Type.String({ description: 'Id of the base model.' }),
    kind: Type.Enum([...pricedKinds], { description: 'Kind of the model.' }),
    operation: Type.Enum([...operations], { description: 'What is done with it.' }),
    credits_per_gpu_minute: creditsText('Rate.'),
    credits_per_unit: creditsText('What one unit of 100 ms costs; a call is rounded once, as a whole.'),
    free: Type.Boolean({ description: 'It costs nothing.' }),
    price_version: Type.String({ description: 'Version of the price list.' }),
    effective_from: timestamp('Since when it holds.'),
  },
  { $id: 'Price' },
);

const count = (most: number, description: string, least = 1) =>
  Type.Optional(Type.Integer({ description, minimum: least, maximum: most }));

export const estimateBody = Type.Object({
  operation: Type.Enum(['inference', 'training'], { description: 'What is to be done.' }),
  model: Type.Optional(Type.String({ description: 'Base model of the calls.' })),
  base_model: Type.Optional(Type.String({ description: 'Base model of the training.' })),
  requests: count(1_000_000_000, 'Calls of this size; 1 by default.'),
  active_ms: Type.Optional(
    Type.Number({
      description: 'Active time of one call, ms.',
      exclusiveMinimum: 0,
      maximum: 1e10,
    }),
  ),
  prompt_tokens: count(10_000_000, 'Tokens of the prompt of one call.', 0),
  max_tokens: count(10_000_000, 'Most tokens of the answer.'),
  inputs: count(1_000, 'Inputs of one call; of a reranker, documents.'),
  input_tokens: count(10_000_000, 'Tokens of each input; of a reranker, of query and document together.'),
  examples: count(100_000_000, 'Examples of the dataset.'),
  tokens: count(1_000_000_000_000, 'Tokens of all examples, when known.'),
  hyperparameters: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'As for a training job, with the same defaults.' }),
  ),
});

const figures = <Value extends ReturnType<typeof Type.Integer> | ReturnType<typeof creditsText>>(
  value: Value,
  description: string,
) => Type.Object({ low: value, expected: value, high: value }, { description });

export const estimateSchema = Type.Object({
  units: figures(Type.Integer({ description: 'Units of 100 ms.', minimum: 1 }), 'Units of all calls together.'),
  active_ms: figures(Type.Integer({ description: 'Milliseconds.', minimum: 0 }), 'Active time of all calls together.'),
  credits: figures(creditsText('Credits.'), 'What it would cost.'),
  rate: creditsText('Credits per GPU minute.'),
  price_version: Type.String({ description: 'Version of the price list.' }),
  basis: Type.Enum(['exact', 'measured', 'catalog_profile'], {
    description:
      'Where the time comes from: it was given; this server measured its pace; it follows from the size of the model.',
  }),
  assumptions: Type.Array(Type.String(), { description: 'What the numbers assume, in English.' }),
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
