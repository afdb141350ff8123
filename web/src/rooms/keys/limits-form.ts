import type { Schemas } from '../../api/generated/contract.ts';

export type Limits = Schemas['CallLimits'];

/** All three limits; null: unlimited. */
export type LimitsBody = Pick<Limits, 'requests_per_minute' | 'concurrent_requests' | 'credits_per_day'>;

/** The limits as text fields; empty: unlimited. */
export type LimitsInput = Record<keyof LimitsBody, string>;

export const noInput: LimitsInput = { requests_per_minute: '', concurrent_requests: '', credits_per_day: '' };

export function toInput({ requests_per_minute, concurrent_requests, credits_per_day }: Limits): LimitsInput {
  return {
    requests_per_minute: requests_per_minute?.toString() ?? '',
    concurrent_requests: concurrent_requests?.toString() ?? '',
    credits_per_day: credits_per_day?.replace(/\.?0+$/, '') ?? '',
  };
}

export function toLimits({ requests_per_minute, concurrent_requests, credits_per_day }: LimitsInput): LimitsBody {
  const parse = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    requests_per_minute: parse(requests_per_minute),
    concurrent_requests: parse(concurrent_requests),
    credits_per_day: credits_per_day.trim() || null,
  };
}

export function isLimited({ requests_per_minute, concurrent_requests, credits_per_day }: LimitsBody): boolean {
  return requests_per_minute !== null || concurrent_requests !== null || credits_per_day !== null;
}
