import { Button, Group, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { languages, useLanguage } from '../../i18n/language.tsx';
import { BrandLogo } from '../../ui/brand.tsx';
import { IconLanguage, IconSun } from '../../ui/icons.tsx';
import { useWindowTitle } from '../../ui/page.tsx';
import { LanguageItems, SchemeItems } from '../../ui/preference-items.tsx';
import { preferenceTexts } from '../../ui/preference-texts.ts';
import styles from './sign-in-layout.module.css';
import { signInTexts } from './sign-in-texts.ts';

/** The layout of the pages for signing in. */
export function SignInLayout({ title, children }: { title: string; children: ReactNode }) {
  const t = useTexts(signInTexts);
  useWindowTitle(title);
  return (
    <div className={styles.entry}>
      <main id="main" className={styles.card}>
        <p className={styles.brand}>
          <BrandLogo size={34} />
          Fanfold
        </p>
        <p className={styles.tagline}>{t.tagline}</p>
        <h1 className={styles.title}>{title}</h1>
        {children}
      </main>
      <footer>
        <Preferences />
      </footer>
    </div>
  );
}

function Preferences() {
  const t = useTexts(preferenceTexts);
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
