import Type, { type Static } from 'typebox';
import { creditsPattern, creditsText, nullable, timestamp } from '#http';
import { fault, formatCredits, type Micro, parseCredits } from '#kernel';
import type { CallLimits } from './call-limits.ts';
import type { AccountLimitsView, LimitsWithUsage } from './limits.ts';

const none = 'Null: no limit.';

const perMinute = {
  description: 'Calls that may begin within a minute, counted from the first one on; then the next minute begins.',
  minimum: 1,
  maximum: 1_000_000,
};

const concurrent = {
  description: 'Calls that may run at the same time.',
  minimum: 1,
  maximum: 10_000,
};

const perDayText =
  'Credits that may be spent in a day (UTC). A call is let in while the most that it could cost still fits.';

export const changeLimitsBody = Type.Object({
  requests_per_minute: Type.Optional(nullable(Type.Integer(perMinute), none)),
  concurrent_requests: Type.Optional(nullable(Type.Integer(concurrent), none)),
  credits_per_day: Type.Optional(nullable(Type.String({ description: perDayText, pattern: creditsPattern }), none)),
});

export const limitsSchema = Type.Object(
  {
    requests_per_minute: nullable(Type.Integer(perMinute), none),
    concurrent_requests: nullable(Type.Integer(concurrent), none),
    credits_per_day: nullable(creditsText(perDayText), none),
    used: Type.Object(
      {
        requests: Type.Integer({ description: 'Calls of the minute that runs.', minimum: 0 }),
        minute_ends_at: nullable(timestamp('When that minute ends.'), 'Null between calls.'),
        running: Type.Integer({ description: 'Calls that run now.', minimum: 0 }),
        credits_today: creditsText('Credits spent today (UTC), and reserved by calls that run.'),
      },
      { description: 'What is used. Only calls that were made under limits are counted.' },
    ),
  },
  { $id: 'CallLimits', description: 'Limits on calls of models, and how far they are used.' },
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
          description: 'Bytes that are stored, with those that announced files will take.',
          minimum: 0,
        }),
      },
      { description: 'What is used. Only calls that were made under limits are counted.' },
    ),
    operator: Type.Object(
      {
        requests_per_minute: fields.requests_per_minute,
        concurrent_requests: fields.concurrent_requests,
        credits_per_day: fields.credits_per_day,
        storage_bytes: nullable(
          Type.Integer({
            description: 'Bytes that the account may store: files of imports, contents of examples, and adapters.',
            minimum: 0,
          }),
          none,
        ),
      },
      {
        description: 'Limits that the operator of the server sets for the account. Of two limits, the lower one holds.',
      },
    ),
  },
  {
    $id: 'AccountLimits',
    description:
      'Limits on calls of models that an account sets for itself, those that the operator sets for it, and how far they are used.',
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

export function limitsToWire({ limits, used }: LimitsWithUsage): Static<typeof limitsSchema> {
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
