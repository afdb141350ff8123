import { type Fault, fault, formatCredits, type Micro, microPerCredit } from '#kernel';

/** What a key or an account may do at most; null is no limit. */
export type CallLimits = {
  requestsPerMinute: number | null;
  concurrentRequests: number | null;
  creditsPerDayMicro: Micro | null;
};

export function hasLimits({ requestsPerMinute, concurrentRequests, creditsPerDayMicro }: CallLimits): boolean {
  return requestsPerMinute !== null || concurrentRequests !== null || creditsPerDayMicro !== null;
}

/** A key or an account with limits. */
export type LimitedSubject = { scope: 'key' | 'account'; id: string; limits: CallLimits };

export type LimitName = 'requests_per_minute' | 'concurrent_requests' | 'credits_per_day';

/** How far a subject's limits are used, the call in question included if it has begun. */
export type LimitUsage = {
  refusedBy: LimitName | null;
  requests: number;
  minuteSeconds: number;
  running: number;
  spentMicro: Micro;
  daySeconds: number;
};

export type CheckedSubject = LimitedSubject & { usage: LimitUsage };

/** One limit as the header fields show it. Of credits, whole ones: the fields are integers. */
type Window = { limit: number; remaining: number; resetSeconds: number };

/** Header fields of an answer to a limited caller: the limit that will be reached first. */
export function limitHeaders(checked: readonly CheckedSubject[]): Record<string, string> {
  for (const name of ['requests_per_minute', 'concurrent_requests', 'credits_per_day'] as const) {
    const windows = checked.flatMap((each) => windowOf(name, each) ?? []);
    const [tightest] = windows.toSorted((a, b) => a.remaining - b.remaining);
    if (tightest) return toHeaders(tightest);
  }
  return {};
}

/** Why a call is refused; null: it is not. */
export function refusalOf(checked: readonly CheckedSubject[]): Fault | null {
  const refusals = checked.flatMap((each) => {
    const name = each.usage.refusedBy;
    const window = name && windowOf(name, each);
    return window ? [{ name, window, checked: each }] : [];
  });
  // Of two refusals, the one that lasts longer: the other one alone would promise too much.
  const [longest] = refusals.toSorted((a, b) => b.window.resetSeconds - a.window.resetSeconds);
  return longest ? refuse(longest.name, longest.window, longest.checked) : null;
}

function refuse(name: LimitName, window: Window, { scope, limits, usage }: CheckedSubject): Fault {
  return fault('rate_limited', {
    message: `This ${scope}'s limit of ${whatIsReached(name, limits, usage)}`,
    retryAfterSeconds: window.resetSeconds,
    headers: toHeaders(window),
    details: { limit: name, scope, reset_seconds: window.resetSeconds },
  });
}

function whatIsReached(name: LimitName, limits: CallLimits, { minuteSeconds, spentMicro }: LimitUsage): string {
  switch (name) {
    case 'requests_per_minute':
      return `requests a minute is ${limits.requestsPerMinute}. The next minute begins in ${minuteSeconds} s.`;
    case 'concurrent_requests':
      return `running requests is ${limits.concurrentRequests}. Wait until one of them ends.`;
    case 'credits_per_day': {
      const [most, spent] = [limits.creditsPerDayMicro ?? 0n, spentMicro].map(formatCredits);
      return `credits a day (UTC) is ${most}. ${spent} are spent or reserved, and this call could exceed the rest.`;
    }
  }
}

function windowOf(name: LimitName, { limits, usage }: CheckedSubject): Window | null {
  switch (name) {
    case 'requests_per_minute':
      return windowFrom(limits.requestsPerMinute, usage.requests, usage.minuteSeconds);
    case 'concurrent_requests':
      return windowFrom(limits.concurrentRequests, usage.running, 1);
    case 'credits_per_day':
      return windowFrom(wholeCredits(limits.creditsPerDayMicro), wholeCredits(usage.spentMicro) ?? 0, usage.daySeconds);
  }
}

function windowFrom(limit: number | null, used: number, resetSeconds: number): Window | null {
  return limit === null ? null : { limit, remaining: Math.max(0, limit - used), resetSeconds };
}

const wholeCredits = (micro: Micro | null) => (micro === null ? null : Number(micro / microPerCredit));

function toHeaders({ limit, remaining, resetSeconds }: Window): Record<string, string> {
  return {
    'ratelimit-limit': String(limit),
    'ratelimit-remaining': String(remaining),
    'ratelimit-reset': String(resetSeconds),
  };
}
