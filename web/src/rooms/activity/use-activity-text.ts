import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import type { Activity } from './activity-queries.ts';
import { activityTypeTexts, isActivityType } from './activity-type-texts.ts';

/** Things that go without a name: there is one of each. */
const nameless = new Set(['account', 'credits', 'checkout']);

/** What happened, in a sentence. The server says it in English; in other languages it is put together from the facts. */
export function useActivityText(): (row: Activity) => string {
  const { language } = useLanguage();
  const format = useFormat();
  const names = activityTypeTexts[language];
  return ({ type, subject, message, data }) => {
    if (language === 'en' || !isActivityType(type)) return message;
    if (!nameless.has(subject.kind)) return `${names[type]}：“${subject.label}”`;
    const amount = data['credits'] ?? data['balance'];
    return typeof amount === 'string' ? `${names[type]}：${format.credits(amount)}` : names[type];
  };
}
