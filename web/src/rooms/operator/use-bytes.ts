import { useLanguage } from '../../i18n/language.tsx';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'] as const;

/** `2.5 GB`: decimal units, as the sizes of files at the hub. */
export function useBytes(): (bytes: number) => string {
  const { language } = useLanguage();
  return (bytes) => {
    const at = bytes === 0 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
    return new Intl.NumberFormat(language, {
      style: 'unit',
      unit: units[at] ?? 'byte',
      unitDisplay: 'short',
      maximumSignificantDigits: 3,
    }).format(bytes / 1000 ** at);
  };
}
