import type { Contract } from '#http';
import { accountLimitsSchema, limitsSchema } from './limits.schema.ts';

const tag = 'limits';

const answers = {
  200: {
    description: 'The limits.',
    schema: limitsSchema,
    example: {
      requests_per_minute: 60,
      concurrent_requests: 4,
      credits_per_day: '5.000000',
      used: { requests: 12, minute_ends_at: '2026-01-02T03:04:05.678Z', running: 1, credits_today: '0.412350' },
    },
  },
};

export const accountLimitsAnswer = {
  ...answers[200],
  schema: accountLimitsSchema,
  example: {
    ...answers[200].example,
    used: { ...answers[200].example.used, storage_bytes: 48_213_000 },
    operator: {
      requests_per_minute: 600,
      concurrent_requests: null,
      credits_per_day: '50.000000',
      storage_bytes: 10_737_418_240,
    },
  },
};

const accountAnswers = { 200: accountLimitsAnswer };

const rule =
  'Limits hold for calls of models, from the next call on and exactly, however many servers there are. A call over a limit gets 429 `rate_limited` with `Retry-After` and the `RateLimit` header fields, and counts nowhere. A key with limits cannot change limits, create keys or change other keys.';

const change = { description: rule, bodyExample: { requests_per_minute: 60, credits_per_day: '5' } };

export const readKeyLimits: Contract = {
  tag,
  summary: 'Read the limits of a key',
  description: 'What calls with this key may use at most, and what they have used. Null: no limit.',
  answers,
  faults: ['not_found'],
};

export const changeKeyLimits: Contract = {
  tag,
  summary: 'Change the limits of a key',
  answers,
  ...change,
  faults: ['not_found', 'forbidden'],
};

export const readAccountLimits: Contract = {
  tag,
  summary: 'Read the limits of the account',
  description:
    'What calls of the account may use at most, whatever their key, and what they have used. Null: no limit. Limits of the operator stand beside those of the account; the lower one holds, and only the operator changes his.',
  answers: accountAnswers,
};

export const changeAccountLimits: Contract = {
  tag,
  summary: 'Change the limits of the account',
  answers: accountAnswers,
  ...change,
  faults: ['forbidden'],
};
