import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { keysTexts } from './keys-texts.ts';
import type { LimitsInput } from './limits-form.ts';

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
