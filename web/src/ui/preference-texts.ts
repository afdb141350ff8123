import { catalogue } from '../i18n/catalogue.ts';

export const preferenceTexts = catalogue(
  {
    language: 'Language',
    scheme: 'Appearance',
    light: 'Light',
    dark: 'Dark',
    auto: 'System',
  },
  {
    language: '语言',
    scheme: '外观',
    light: '浅色',
    dark: '深色',
    auto: '系统',
  },
);
