import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import styles from './keys.module.css';
import { keysTexts } from './keys-texts.ts';
import type { Limits } from './limits-form.ts';

/** The limits of a key in one line, with the usage of the spending limit. */
export function RowLimits({ limits }: { limits: Limits }) {
  const t = useTexts(keysTexts);
  const format = useFormat();
  const { requests_per_minute, concurrent_requests, credits_per_day, used } = limits;
  const parts = [
    requests_per_minute === null ? '' : t.rowPerMinute(format.number(requests_per_minute)),
    concurrent_requests === null ? '' : t.rowAtATime(format.number(concurrent_requests)),
    credits_per_day === null ? '' : t.rowPerDay(format.credits(used.credits_today), format.credits(credits_per_day)),
  ];
  // The last part, because it explains why calls are refused.
  const isUsedUp = credits_per_day !== null && Number(used.credits_today) >= Number(credits_per_day);
  return (
    <span className={styles.quiet}>
      {parts.filter((part) => part !== '').join(' · ')}
      {isUsedUp ? <span className={styles.usedUp}>{t.rowUsedUp}</span> : null}
    </span>
  );
}
