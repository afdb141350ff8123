import { useLanguage } from '../../i18n/language.tsx';

const tags = { en: 'en', zh: 'zh-CN' };

export function useLoss(): (value: number | null | undefined) => string {
  const { language } = useLanguage();
  const format = new Intl.NumberFormat(tags[language], { maximumSignificantDigits: 4 });
  const small = new Intl.NumberFormat(tags[language], { notation: 'scientific', maximumSignificantDigits: 3 });
  return (value) => {
    if (value === null || value === undefined) return '–';
    return value !== 0 && Math.abs(value) < 0.00001 ? small.format(value) : format.format(value);
  };
}
