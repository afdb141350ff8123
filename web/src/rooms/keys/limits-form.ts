import type { Schemas } from '../../api/generated/contract.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { keysTexts } from './keys-texts.ts';

export type Limits = Schemas['CallLimits'];

/** All three limits; null: unlimited. */
export type LimitsBody = Pick<Limits, 'requests_per_minute' | 'concurrent_requests' | 'credits_per_day'>;

/** The limits as text fields; empty: unlimited. */
export type LimitsInput = Record<keyof LimitsBody, string>;

export const noInput: LimitsInput = { requests_per_minute: '', concurrent_requests: '', credits_per_day: '' };

const mostPerMinute = 1_000_000;
const mostConcurrent = 10_000;

/** Validates the fields; the server checks the same. */
export function useLimitsRules(): Record<keyof LimitsInput, (text: string) => string | null> {
  const t = useTexts(keysTexts);
  const format = useFormat();
  const wholeUpTo = (most: number) => (text: string) =>
    text.trim() === '' || (/^\d{1,7}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most)
      ? null
      : t.wholeNumber(format.number(1), format.number(most));
  return {
    requests_per_minute: wholeUpTo(mostPerMinute),
    concurrent_requests: wholeUpTo(mostConcurrent),
    credits_per_day: (text) => (/^(\d{1,12}(\.\d{1,6})?)?$/.test(text.trim()) ? null : t.amount),
  };
}

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
