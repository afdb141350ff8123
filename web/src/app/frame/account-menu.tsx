import { Menu, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { call } from '../../api/call.ts';
import { forgetAccount, sessionQuery } from '../../api/session.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { IconChevronDown, IconKeyboard, IconLogout, IconUser } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import styles from './account-menu.module.css';
import { frameTexts } from './frame-texts.ts';
import { LanguageItems, SchemeItems } from './preference-items.tsx';
import { openShortcuts } from './shortcuts.tsx';

/** Who is signed in, and what belongs to him: settings, language, appearance, signing out. */
export function AccountMenu({ isCompact = false }: { isCompact?: boolean }) {
  const t = useTexts(frameTexts);
  const navigate = useNavigate();
  const { data: session } = useQuery(sessionQuery);
  const signOut = useSignOut();
  const name = session?.account.display_name ?? '';
  const secondLine = session?.account.email ?? session?.account.slug;
  // What is seen is part of the name: somebody may say it to his computer.
  const label = isCompact ? t.account(name) : `${t.account(name)} ${secondLine ?? ''}`;
  return (
    <Menu position={isCompact ? 'bottom-end' : 'top-start'} width={240}>
      <Menu.Target>
        <UnstyledButton className={styles.button} aria-label={label} data-compact={isCompact || undefined}>
          {/* Drawn by the style: as a text they would be part of what the button is called. */}
          <span className={styles.initials} data-initials={initialsOf(name)} />
          {!isCompact && (
            <>
              <span className={styles.names}>
                <span>{name}</span> <span className={styles.second}>{secondLine}</span>
              </span>
              <IconChevronDown size={16} />
            </>
          )}
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser size={16} />} onClick={() => navigate({ to: '/account' })}>
          {t.settings}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openShortcuts}>
          {t.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{t.language}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        <Menu.Label>{t.scheme}</Menu.Label>
        <SchemeItems />
        <Menu.Divider />
        <Menu.Item leftSection={<IconLogout size={16} />} onClick={signOut}>
          {t.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function useSignOut() {
  const navigate = useNavigate();
  const { language } = useLanguage();
  return async () => {
    try {
      await call('POST /api/v1/auth/sign-out');
    } catch (error) {
      notifyProblem(error, language);
      return;
    }
    forgetAccount();
    await navigate({ to: '/sign-in' });
  };
}

/** Two letters of a name; of a Chinese one the first character says enough. */
function initialsOf(name: string): string {
  const [first = '', ...rest] = name.trim().split(/\s+/);
  const last = rest.at(-1) ?? '';
  const letters = /^\p{Script=Han}/u.test(first) ? [...first].slice(0, 1) : [[...first][0], [...last][0]];
  return letters.join('').toUpperCase();
}
