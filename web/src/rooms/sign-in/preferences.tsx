import { Button, Group, Menu } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { languages, useLanguage } from '../../i18n/language.tsx';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { IconLanguage, IconSun } from '../../ui/icons.tsx';
import { LanguageItems, SchemeItems } from '../../ui/preference-items.tsx';

export function Preferences() {
  const t = useTexts(sharedTexts);
  const { language: current } = useLanguage();
  const name = languages.find(({ language }) => language === current)?.name;
  return (
    <Group gap="xs">
      <Menu width={180}>
        <Menu.Target>
          <Button variant="subtle" color="gray" size="xs" leftSection={<IconLanguage size={16} />}>
            {name}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <LanguageItems />
        </Menu.Dropdown>
      </Menu>
      <Menu width={180}>
        <Menu.Target>
          <Button variant="subtle" color="gray" size="xs" leftSection={<IconSun size={16} />}>
            {t.scheme}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <SchemeItems />
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
