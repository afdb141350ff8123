import { Group, Stack, Text, useMantineColorScheme } from '@mantine/core';
import { useId } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { languages, useLanguage } from '../../i18n/language.tsx';
import { Page } from '../../ui/page.tsx';
import { Panel } from '../../ui/panel.tsx';
import { preferenceTexts } from '../../ui/preference-texts.ts';
import { SegmentedControl } from '../../ui/segmented-control.tsx';
import { useSetLanguage } from '../../ui/use-set-language.ts';
import { accountTexts } from './account-texts.ts';
import { DataPanel } from './data-panel.tsx';
import { DeletePanel } from './delete-panel.tsx';
import { PasswordPanel } from './password-panel.tsx';
import { ProfilePanel } from './profile-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

export function AccountPage() {
  const t = useTexts(accountTexts);
  return (
    <Page title={t.title} guide="accounts">
      <ProfilePanel />
      <PreferencesPanel />
      <PasswordPanel />
      <SessionsPanel />
      <DataPanel />
      <DeletePanel />
    </Page>
  );
}

const schemes = ['light', 'dark', 'auto'] as const;

function PreferencesPanel() {
  const t = useTexts(accountTexts);
  return (
    <Panel title={t.preferences}>
      <Group gap="xl">
        <LanguageChoice />
        <SchemeChoice />
      </Group>
    </Panel>
  );
}

function LanguageChoice() {
  const t = useTexts(preferenceTexts);
  const id = useId();
  const { language } = useLanguage();
  const keep = useSetLanguage();
  return (
    <Stack gap={4}>
      <Text id={id} size="sm" fw={500}>
        {t.language}
      </Text>
      <SegmentedControl
        aria-labelledby={id}
        value={language}
        data={languages.map((each) => ({ value: each.language, label: each.name }))}
        onChange={(value) => keep(value === 'zh' ? 'zh' : 'en')}
      />
    </Stack>
  );
}

function SchemeChoice() {
  const t = useTexts(preferenceTexts);
  const id = useId();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Stack gap={4}>
      <Text id={id} size="sm" fw={500}>
        {t.scheme}
      </Text>
      <SegmentedControl
        aria-labelledby={id}
        value={colorScheme}
        data={schemes.map((scheme) => ({ value: scheme, label: t[scheme] }))}
        onChange={(value) => setColorScheme(schemes.find((scheme) => scheme === value) ?? 'auto')}
      />
    </Stack>
  );
}
