import { Menu } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import { clearAccount } from '../../api/session.ts';
import { catalogue, useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { IconKeyboard, IconLogout, IconUser } from '../../ui/icons.tsx';
import { notifyProblem } from '../../ui/notify.tsx';
import { LanguageItems, SchemeItems } from '../../ui/preference-items.tsx';
import { preferenceTexts } from '../../ui/preference-texts.ts';
import { openShortcuts } from '../../ui/shortcut-keys.ts';
import { AccountFace } from './account-face.tsx';

const accountMenuTexts = catalogue(
  {
    settings: 'Account settings',
    signOut: 'Sign out',
    shortcuts: 'Keyboard shortcuts',
  },
  {
    settings: '账户设置',
    signOut: '退出登录',
    shortcuts: '键盘快捷键',
  },
);

/** Opens as soon as it is loaded. */
export function AccountMenu({ isCompact }: { isCompact: boolean }) {
  const t = useTexts(accountMenuTexts);
  const preferences = useTexts(preferenceTexts);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const [isOpen, setOpen] = useState(false);
  const face = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was pressed has been replaced by this one.
    face.current?.focus({ preventScroll: true });
    setOpen(true);
  }, []);
  return (
    <Menu opened={isOpen} onChange={setOpen} position={isCompact ? 'bottom-end' : 'top-start'} width={240}>
      <Menu.Target>
        <AccountFace ref={face} isCompact={isCompact} />
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconUser size={16} />} onClick={() => navigate({ to: '/account' })}>
          {t.settings}
        </Menu.Item>
        <Menu.Item leftSection={<IconKeyboard size={16} />} onClick={openShortcuts}>
          {t.shortcuts}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{preferences.language}</Menu.Label>
        <LanguageItems />
        <Menu.Divider />
        <Menu.Label>{preferences.scheme}</Menu.Label>
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
    clearAccount();
    await navigate({ to: '/sign-in' });
  };
}
