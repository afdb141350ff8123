import { type Contract, pageSchema } from '#http';
import { estimateSchema, platformSchema, priceSchema } from './pricing.schema.ts';

const tag = 'pricing';
const cacheHeaders = {
  etag: 'Version of the answer, for `If-None-Match`.',
  'cache-control': 'Any cache may keep it for a minute.',
};
const unchanged = {
  description: 'Unchanged since the version in `If-None-Match`.',
};

export const platformContract: Contract = {
  tag,
  summary: 'Read how prices work',
  description:
    'Units, rounding and what is free; credits that are sold. A charge is `units x rate / 600`, rounded half up once, to six decimals.',
  answers: {
    200: {
      description: 'The terms.',
      schema: platformSchema,
      headers: cacheHeaders,
      example: {
        price_version: '2026-01-01',
        effective_from: '2026-01-01T00:00:00.000Z',
        billing_unit_ms: 100,
        minimum_units: 1,
        rounding: 'ceil_per_request',
        credit_decimals: 6,
        training: { charged_from: 'running', never_started: 'free' },
        signup_credits: '5.000000',
        packs: [{ id: 'small', credits: '100.000000', price: { amount: '10.00', currency: 'USD' } }],
        credit_price: null,
        checkout_enabled: true,
      },
    },
    304: unchanged,
  },
};

export const pricesContract: Contract = {
  tag,
  summary: 'List prices',
  description:
    'What operations on base models cost now; models listed last come first. An operation without a line is not offered. An alias keeps the rate that it was activated with.',
  answers: {
    200: {
      description: 'A page of prices.',
      schema: pageSchema(priceSchema),
      headers: cacheHeaders,
      example: {
        data: [
          {
            model: 'fanfold-tiny-chat',
            kind: 'text',
            operation: 'inference',
            credits_per_gpu_minute: '0.030000',
            credits_per_unit: '0.000050',
            free: false,
            price_version: '2026-01-01',
            effective_from: '2026-01-01T00:00:00.000Z',
          },
        ],
        next_cursor: null,
        total_count: 1,
      },
    },
    304: unchanged,
  },
};

export const estimateContract: Contract = {
  tag,
  summary: 'Estimate a cost',
  description:
    'For calls, send `active_ms`, or `prompt_tokens` and `max_tokens` (text), or `input_tokens` and `inputs` (embedding); for training, `examples` and, if known, `tokens`. An estimate promises nothing: calls are charged for what they take, and never more than was reserved for them. 60 estimates a minute for each client address.',
  bodyExamples: [
    {
      title: 'Calls of a text model',
      value: {
        operation: 'inference',
        model: 'fanfold-tiny-chat',
        requests: 1000,
        prompt_tokens: 200,
        max_tokens: 100,
      },
    },
    {
      title: 'A known time',
      value: { operation: 'inference', model: 'fanfold-tiny-chat', active_ms: 101 },
    },
  ],
  answers: {
    200: {
      description: 'The estimate.',
      schema: estimateSchema,
      headers: {
        'ratelimit-limit': 'Estimates a minute.',
        'ratelimit-remaining': 'How many are left.',
        'ratelimit-reset': 'Seconds until all are back.',
      },
      example: {
        units: { low: 2, expected: 2, high: 2 },
        active_ms: { low: 101, expected: 101, high: 101 },
        credits: { low: '0.000100', expected: '0.000100', high: '0.000100' },
        rate: '0.030000',
        price_version: '2026-01-01',
        basis: 'exact',
        assumptions: [],
      },
    },
  },
  faults: ['model_not_found', 'rate_limited'],
};
