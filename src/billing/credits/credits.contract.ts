import Type from 'typebox';
import { type Contract, pageSchema } from '#http';
import { ledgerRowSchema, summarySchema, totalsSchema } from '../usage/usage.schema.ts';
import { creditsSchema } from './credits.schema.ts';

const tag = 'credits';

export const readContract: Contract = {
  tag,
  summary: 'Read the balance',
  description: 'Credits of the account at one time. All numbers are of the same time, so they add up.',
  answers: {
    200: {
      description: 'The credits.',
      schema: creditsSchema,
      example: {
        settled: '987.654321',
        reserved: '0.012500',
        available: '987.641821',
        lifetime: { granted: '1000.000000', purchased: '0.000000', spent: '12.345679' },
        low_balance: false,
        as_of: '2026-01-02T03:04:05.678Z',
      },
    },
  },
};

const ledgerRow = {
  id: 'led_01KAXR4T5M0Q2Z8W6V3N1B7C9D',
  type: 'inference',
  credits: '-0.000250',
  balance_after: '987.654321',
  project: { owner: 'ada', slug: 'support' },
  model_requested: 'support-chat',
  model_served: 'fanfold-tiny-chat',
  model_revision: 3,
  request_id: 'req_01KAXR4T5K7D9E1A3C5F7H9J1M',
  training_job_id: null,
  attempt: null,
  key: { id: 'key_01KAXR2N8P4C6S0F1G3J5M7R9T', name: 'laptop' },
  active_ms: 412,
  units: 5,
  rate: '0.030000',
  price_version: '2026-01-01',
  prompt_tokens: 57,
  completion_tokens: 128,
  outcome: 'succeeded',
  note: null,
  created_at: '2026-01-02T03:04:05.678Z',
};

export const usageContract: Contract = {
  tag,
  summary: 'List the ledger',
  description:
    'Everything that changed the balance, in that order, the latest first, with exact totals of all rows under the filters. Others see nothing of it; a project of somebody else is shown because it was called from this account. A cursor belongs to the account and to all filters.',
  answers: {
    200: {
      description: 'A page of the ledger.',
      schema: Type.Object({
        ...pageSchema(ledgerRowSchema).properties,
        totals: Type.Object(totalsSchema.properties, { description: 'Of all pages under these filters.' }),
      }),
      example: {
        data: [ledgerRow],
        next_cursor: null,
        total_count: 1,
        totals: { credits: '-0.000250', active_ms: 412, requests: 1 },
      },
    },
  },
};

export const summaryContract: Contract = {
  tag,
  summary: 'Sum up what was spent',
  description:
    'What calls, training and indexes cost in a span of time, less what was given back; grants and purchases are not counted. At most 366 days by day. Here `credits` is positive: what was spent.',
  answers: {
    200: {
      description: 'The summary.',
      schema: summarySchema,
      example: {
        data: [
          { group: '2026-01-01', label: '2026-01-01', requests: 120, active_ms: 60_000, credits: '0.030000' },
          { group: '2026-01-02', label: '2026-01-02', requests: 1, active_ms: 412, credits: '0.000250' },
        ],
        groups: 2,
        totals: { credits: '0.030250', active_ms: 60_412, requests: 121 },
        from: '2025-12-03T03:04:05.678Z',
        to: '2026-01-02T03:04:05.678Z',
      },
    },
  },
};
