import { Menu, useMantineColorScheme } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { languages, useLanguage } from '../../i18n/language.tsx';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from '../../ui/icons.tsx';
import { frameTexts } from './frame-texts.ts';
import { useKeepLanguage } from './use-keep-language.ts';

const schemes = [
  { scheme: 'light', icon: IconSun },
  { scheme: 'dark', icon: IconMoon },
  { scheme: 'auto', icon: IconDeviceDesktop },
] as const;

/** Languages of the page as items of a menu, the one in use marked. */
export function LanguageItems() {
  const { language: current } = useLanguage();
  const keep = useKeepLanguage();
  return languages.map(({ language, name, tag }) => (
    <Menu.Item
      key={language}
      role="menuitemradio"
      aria-checked={language === current}
      lang={tag}
      rightSection={language === current ? <IconCheck size={16} /> : null}
      onClick={() => keep(language)}
    >
      {name}
    </Menu.Item>
  ));
}

/** Light, dark, or what the system says. */
export function SchemeItems() {
  const t = useTexts(frameTexts);
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return schemes.map(({ scheme, icon: Sign }) => (
    <Menu.Item
      key={scheme}
      role="menuitemradio"
      aria-checked={scheme === colorScheme}
      leftSection={<Sign size={16} />}
      rightSection={scheme === colorScheme ? <IconCheck size={16} /> : null}
      onClick={() => setColorScheme(scheme)}
    >
      {t[scheme]}
    </Menu.Item>
  ));
}
