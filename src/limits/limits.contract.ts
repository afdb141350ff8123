import { type Contract, said } from '#http';
import { accountLimitsSchema, limitsSchema } from './limits.schema.ts';

const tag = 'limits';

const answers = {
  200: {
    description: said('The limits.', '当前的限制。'),
    schema: limitsSchema,
    example: {
      requests_per_minute: 60,
      concurrent_requests: 4,
      credits_per_day: '5.000000',
      used: { requests: 12, minute_ends_at: '2026-01-02T03:04:05.678Z', running: 1, credits_today: '0.412350' },
    },
  },
};

const accountAnswers = {
  200: {
    ...answers[200],
    schema: accountLimitsSchema,
    example: {
      ...answers[200].example,
      used: { ...answers[200].example.used, storage_bytes: 48_213_000 },
      operator: {
        ...{ requests_per_minute: 600, concurrent_requests: null, credits_per_day: '50.000000' },
        storage_bytes: 10_737_418_240,
      },
    },
  },
};

const rule = said(
  'Limits hold for calls of models, from the next call on and exactly, however many servers there are. A call over a limit gets 429 `rate_limited` with `Retry-After` and the `RateLimit` header fields, and counts nowhere. A key with limits cannot change limits, create keys or change other keys.',
  '限制作用于模型调用，从下一次调用起生效；无论有多少台服务器，计数都是精确的。超出限制的调用返回 429 `rate_limited`，附带 `Retry-After` 和 `RateLimit` 响应头，并且不计入任何用量。带有限制的密钥不能修改限制、创建密钥或更改其他密钥。',
);

const change = { description: rule, bodyExample: { requests_per_minute: 60, credits_per_day: '5' } };

export const readKeyLimits: Contract = {
  tag,
  summary: said('Read the limits of a key', '查询密钥的限制'),
  description: said(
    'What calls with this key may use at most, and what they have used. Null: no limit.',
    '使用此密钥的调用上限及已用量。null 表示无限制。',
  ),
  answers,
  faults: ['not_found'],
};

export const changeKeyLimits: Contract = {
  tag,
  summary: said('Change the limits of a key', '修改密钥的限制'),
  answers,
  ...change,
  faults: ['not_found', 'forbidden'],
};

export const readAccountLimits: Contract = {
  tag,
  summary: said('Read the limits of the account', '查询账户的限制'),
  description: said(
    'What calls of the account may use at most, whatever their key, and what they have used. Null: no limit. Limits of the operator stand beside those of the account; the lower one holds, and only the operator changes his.',
    '账户所有密钥的调用上限及已用量。null 表示无限制。运营者设置的限制与账户自行设置的限制并列；较低者生效，且只有运营者能修改其设置的限制。',
  ),
  answers: accountAnswers,
};

export const changeAccountLimits: Contract = {
  tag,
  summary: said('Change the limits of the account', '修改账户的限制'),
  answers: accountAnswers,
  ...change,
  faults: ['forbidden'],
};
