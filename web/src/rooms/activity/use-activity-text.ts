import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.tsx';
import type { Activity } from './activity-queries.ts';
import { activityTypeTexts, isActivityType } from './activity-type-texts.ts';
import { curlyQuotes } from './curly-quotes.ts';

/** Resources without a name: there is one of each. */
const nameless = new Set(['account', 'credits', 'checkout']);

/** What happened, in a sentence. In English the server's message is shown; the Chinese one is built from the fields. */
export function useActivityText(): (row: Activity) => string {
  const { language } = useLanguage();
  const format = useFormat();
  const names = activityTypeTexts[language];
  return (row) => {
    const { type, subject, message, data } = row;
    const given = nameless.has(subject.kind) ? (data['credits'] ?? data['balance']) : null;
    const amount = typeof given === 'string' ? format.credits(given) : null;
    if (language === 'en' || !isActivityType(type))
      return amount === null ? curlyQuotes(message, subject.label) : message.replace(plainAmount, amount);
    if (nameless.has(subject.kind)) return amount === null ? names[type] : `${names[type]}：${amount}`;
    return `${names[type]}：${subjectOf(row)}`;
  };
}

const plainAmount = /\d+(\.\d+)?/;

/** The resource. A share has a model and an account, a version has a number. */
function subjectOf({ subject, data }: Activity): string {
  const model = data['hosted_model'];
  if (subject.kind === 'share' && typeof model === 'object' && model !== null && 'alias' in model)
    return `“${model.alias}”（${subject.label}）`;
  const version = typeof data['number'] === 'number' ? ` v${data['number']}` : '';
  return `“${subject.label}”${version}`;
}
