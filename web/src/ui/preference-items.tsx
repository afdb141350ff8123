import { Menu, useMantineColorScheme } from '@mantine/core';
import { useTexts } from '../i18n/catalogue.ts';
import { languageOf, languages, useLanguage } from '../i18n/language.tsx';
import { IconCheck } from './icons.tsx';
import { preferenceTexts } from './preference-texts.ts';
import { useSetLanguage } from './use-set-language.ts';

const schemes = ['light', 'dark', 'auto'] as const;
const check = <IconCheck size={16} />;

export function LanguageItems() {
  const { language } = useLanguage();
  const keep = useSetLanguage();
  return (
    <Menu.RadioGroup value={language} onChange={(value) => keep(languageOf(value))}>
      {languages.map((each) => (
        <Menu.RadioItem key={each.language} value={each.language} lang={each.tag} checkIcon={check}>
          {each.name}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}

export function SchemeItems() {
  const t = useTexts(preferenceTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const choose = (value: string) => setColorScheme(schemes.find((scheme) => scheme === value) ?? 'auto');
  return (
    <Menu.RadioGroup value={colorScheme} onChange={choose}>
      {schemes.map((scheme) => (
        <Menu.RadioItem key={scheme} value={scheme} checkIcon={check}>
          {t[scheme]}
        </Menu.RadioItem>
      ))}
    </Menu.RadioGroup>
  );
}
