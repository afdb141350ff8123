import { type Contract, pageSchema, said } from '#http';
import { estimateSchema, platformSchema, priceSchema } from './pricing.schema.ts';

const tag = 'pricing';
const cacheHeaders = {
  etag: said('Version of the answer, for `If-None-Match`.', '响应版本，用于 `If-None-Match`。'),
  'cache-control': said('Any cache may keep it for a minute.', '缓存可保留一分钟。'),
};
const unchanged = {
  description: said('Unchanged since the version in `If-None-Match`.', '自 `If-None-Match` 指定的版本以来没有变化。'),
};

export const platformContract: Contract = {
  tag,
  summary: said('Read how prices work', '查询计费规则'),
  description: said(
    'Units, rounding and what is free; credits that are sold. A charge is `units x rate / 600`, rounded half up once, to six decimals.',
    '计费单位、舍入方式、免费项目及出售的额度。费用为 `计费单位数 × 费率 / 600`，四舍五入一次，保留六位小数。',
  ),
  answers: {
    200: {
      description: said('The terms.', '计费规则。'),
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
  summary: said('List prices', '列出价格'),
  description: said(
    'What operations on base models cost now; models listed last come first. An operation without a line is not offered. An alias keeps the rate that it was activated with.',
    '基础模型各项操作的当前价格，最近上架的模型排在最前。未列出的操作表示不提供。别名沿用其激活时的费率。',
  ),
  answers: {
    200: {
      description: said('A page of prices.', '一页价格。'),
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
  summary: said('Estimate a cost', '估算费用'),
  description: said(
    'For calls, send `active_ms`, or `prompt_tokens` and `max_tokens` (text), or `input_tokens` and `inputs` (embedding); for training, `examples` and, if known, `tokens`. An estimate promises nothing: calls are charged for what they take, and never more than was reserved for them. 60 estimates a minute for each client address.',
    '估算调用费用时，请提供 `active_ms`，或 `prompt_tokens` 与 `max_tokens`（文本），或 `input_tokens` 与 `inputs`（嵌入）；估算训练费用时，请提供 `examples`，如已知还可提供 `tokens`。估算不构成承诺：调用按实际用量计费，且不超过为其预留的额度。每个客户端地址每分钟最多 60 次。',
  ),
  bodyExamples: [
    {
      title: said('Calls of a text model', '文本模型调用'),
      value: {
        operation: 'inference',
        model: 'fanfold-tiny-chat',
        requests: 1000,
        prompt_tokens: 200,
        max_tokens: 100,
      },
    },
    {
      title: said('A known time', '已知活跃时间'),
      value: { operation: 'inference', model: 'fanfold-tiny-chat', active_ms: 101 },
    },
  ],
  answers: {
    200: {
      description: said('The estimate.', '估算结果。'),
      schema: estimateSchema,
      headers: {
        'ratelimit-limit': said('Estimates a minute.', '每分钟可估算的次数。'),
        'ratelimit-remaining': said('How many are left.', '剩余次数。'),
        'ratelimit-reset': said('Seconds until all are back.', '恢复全部次数所需的秒数。'),
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
