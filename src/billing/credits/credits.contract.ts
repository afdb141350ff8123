import Type from 'typebox';
import { type Contract, pageSchema, said } from '#http';
import { ledgerRowSchema, summarySchema, totalsSchema } from '../usage/usage.schema.ts';
import { creditsSchema } from './credits.schema.ts';

const tag = 'credits';

export const readContract: Contract = {
  tag,
  summary: said('Read the balance', '查询余额'),
  description: said(
    'Credits of the account at one moment. All numbers are of the same moment, so they add up.',
    '账户在某一时刻的额度。所有数字取自同一时刻，因此可以相互核对。',
  ),
  answers: {
    200: {
      description: said('The credits.', '额度信息。'),
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
  summary: said('List the ledger', '列出账目'),
  description: said(
    'Everything that changed the balance, in that order, the latest first, with exact totals of all rows under the filters. Others see nothing of it; a project of somebody else is shown because it was called from this account. A cursor belongs to the account and to all filters.',
    '引起余额变动的全部记录，按发生顺序倒序排列，并给出符合筛选条件的全部记录的精确合计。其他账户无法看到；他人的项目会出现在这里，是因为本账户调用过它。游标只对同一账户和同一组筛选条件有效。',
  ),
  answers: {
    200: {
      description: said('A page of the ledger.', '一页账目。'),
      schema: Type.Object({
        ...pageSchema(ledgerRowSchema).properties,
        totals: Type.Object(
          totalsSchema.properties,
          said('Of all pages under these filters.', '符合筛选条件的全部页的合计。'),
        ),
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
  summary: said('Sum up what was spent', '汇总消费'),
  description: said(
    'What calls, training and indexes cost in a span of time, less what was given back; grants and purchases are not counted. At most 366 days by day. Here `credits` is positive: what was spent.',
    '一段时间内调用、训练和索引的费用，扣除退还部分；不含发放与购买。按天汇总时最多 366 天。此处 `credits` 为正数，表示消费。',
  ),
  answers: {
    200: {
      description: said('The summary.', '汇总结果。'),
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
