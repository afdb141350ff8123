import { useLanguage } from '../../i18n/language.tsx';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;

export function useBytes(): (bytes: number) => string {
  const { language } = useLanguage();
  return (bytes) => {
    const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
    return new Intl.NumberFormat(language === 'zh' ? 'zh-CN' : 'en', {
      style: 'unit',
      unit: units[power] ?? 'byte',
      unitDisplay: power === 0 ? 'long' : 'short',
      maximumFractionDigits: power === 0 ? 0 : 1,
    }).format(bytes / 1000 ** power);
  };
}
