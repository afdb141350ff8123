import Type, { type Static } from 'typebox';
import { creditsPattern, creditsText, nullable, said, timestamp } from '#http';
import { fault, formatCredits, type Micro, parseCredits } from '#kernel';
import type { CallLimits } from './call-limits.ts';
import type { AccountLimitsView, LimitsView } from './limits.ts';

const none = said('Null: no limit.', 'null 表示不限制。');

const perMinute = {
  ...said(
    'Calls that may begin within a minute, counted from the first one on; then the next minute begins.',
    '一分钟内允许开始的调用数，从第一次调用起计；满一分钟后重新计数。',
  ),
  minimum: 1,
  maximum: 1_000_000,
};

const concurrent = {
  ...said('Calls that may run at the same time.', '允许同时运行的调用数。'),
  minimum: 1,
  maximum: 10_000,
};

const perDayText = said(
  'Credits that may be spent in a day (UTC). A call is let in while the most that it could cost still fits.',
  '每天（UTC）允许消耗的额度。只有当一次调用的最大可能费用仍在余量之内时才会放行。',
);

export const changeLimitsBody = Type.Object({
  requests_per_minute: Type.Optional(nullable(Type.Integer(perMinute), none)),
  concurrent_requests: Type.Optional(nullable(Type.Integer(concurrent), none)),
  credits_per_day: Type.Optional(nullable(Type.String({ ...perDayText, pattern: creditsPattern }), none)),
});

export const limitsSchema = Type.Object(
  {
    requests_per_minute: nullable(Type.Integer(perMinute), none),
    concurrent_requests: nullable(Type.Integer(concurrent), none),
    credits_per_day: nullable(creditsText(perDayText), none),
    used: Type.Object(
      {
        requests: Type.Integer({ ...said('Calls of the minute that runs.', '当前一分钟内的调用数。'), minimum: 0 }),
        minute_ends_at: nullable(
          timestamp(said('When that minute ends.', '当前一分钟的结束时间。')),
          said('Null between calls.', '没有正在计数的一分钟时为 null。'),
        ),
        running: Type.Integer({ ...said('Calls that run now.', '正在运行的调用数。'), minimum: 0 }),
        credits_today: creditsText(
          said(
            'Credits spent today (UTC), and reserved by calls that run.',
            '今天（UTC）已消耗以及正在运行的调用所预留的额度。',
          ),
        ),
      },
      said(
        'What is used. Only calls that were made under limits are counted.',
        '已用量。只统计在有限制期间发起的调用。',
      ),
    ),
  },
  { $id: 'CallLimits', ...said('Limits on calls of models, and how far they are used.', '模型调用的限制及已用量。') },
);

const fields = limitsSchema.properties;
const used = fields.used.properties;

export const accountLimitsSchema = Type.Object(
  {
    ...fields,
    used: Type.Object(
      {
        ...used,
        storage_bytes: Type.Integer({
          ...said(
            'Bytes that are stored, with those that announced files will take.',
            '已存储的字节数，包括已登记文件将占用的部分。',
          ),
          minimum: 0,
        }),
      },
      said(
        'What is used. Only calls that were made under limits are counted.',
        '已用量。只统计在有限制期间发起的调用。',
      ),
    ),
    operator: Type.Object(
      {
        requests_per_minute: fields.requests_per_minute,
        concurrent_requests: fields.concurrent_requests,
        credits_per_day: fields.credits_per_day,
        storage_bytes: nullable(
          Type.Integer({
            ...said(
              'Bytes that the account may store: files of imports, contents of examples, and adapters.',
              '账户可存储的字节数：导入文件、样本内容与适配器合计。',
            ),
            minimum: 0,
          }),
          none,
        ),
      },
      said(
        'Limits that the operator of the server sets for the account. Of two limits, the lower one holds.',
        '服务器运营者为该账户设置的限制。两者之中较低的限制生效。',
      ),
    ),
  },
  {
    $id: 'AccountLimits',
    ...said(
      'Limits on calls of models that an account sets for itself, those that the operator sets for it, and how far they are used.',
      '账户自行设置的模型调用限制、运营者为其设置的限制，以及已用量。',
    ),
  },
);

/** The fields that the body names; `place` is where it stands in the whole one. Throws `invalid_request`. */
export function readLimitsChange(body: Static<typeof changeLimitsBody>, place = ''): Partial<CallLimits> {
  const { requests_per_minute, concurrent_requests, credits_per_day } = body;
  return {
    ...(requests_per_minute === undefined ? {} : { requestsPerMinute: requests_per_minute }),
    ...(concurrent_requests === undefined ? {} : { concurrentRequests: concurrent_requests }),
    ...(credits_per_day === undefined
      ? {}
      : { creditsPerDayMicro: readCredits(credits_per_day, `${place}credits_per_day`) }),
  };
}

function readCredits(text: string | null, param: string): Micro | null {
  if (text === null) return null;
  const micro = parseCredits(text);
  if (micro !== null && micro >= 0n) return micro;
  throw fault('invalid_request', {
    message: `${param}: expected a number of credits with at most six decimals.`,
    param,
  });
}

export function accountLimitsToWire(view: AccountLimitsView): Static<typeof accountLimitsSchema> {
  const { usedBytes, mostBytes } = view.storage;
  const own = limitsToWire(view);
  return {
    ...own,
    used: { ...own.used, storage_bytes: Number(usedBytes) },
    operator: { ...callLimitsToWire(view.operator), storage_bytes: mostBytes === null ? null : Number(mostBytes) },
  };
}

function callLimitsToWire({ requestsPerMinute, concurrentRequests, creditsPerDayMicro }: CallLimits) {
  return {
    requests_per_minute: requestsPerMinute,
    concurrent_requests: concurrentRequests,
    credits_per_day: creditsPerDayMicro === null ? null : formatCredits(creditsPerDayMicro),
  };
}

export function limitsToWire({ limits, used }: LimitsView): Static<typeof limitsSchema> {
  return {
    ...callLimitsToWire(limits),
    used: {
      requests: used.requests,
      minute_ends_at: used.minuteEndsAt?.toISOString() ?? null,
      running: used.running,
      credits_today: formatCredits(used.creditsTodayMicro),
    },
  };
}
