import type { Schemas } from '../../api/generated/contract.ts';
import { type Language, useLanguage } from '../../i18n/language.tsx';

const tags: Record<Language, string> = { en: 'en', zh: 'zh-CN' };

export function useMoney(): (money: Schemas['Money']) => string {
  const { language } = useLanguage();
  return ({ amount, currency }) =>
    new Intl.NumberFormat(tags[language], { style: 'currency', currency }).format(Number(amount));
}
