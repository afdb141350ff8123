import { Kbd, Stack, Switch, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, useEffect, useLayoutEffect, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { navigation } from '../rooms.ts';
import { frameTexts } from './frame-texts.ts';
import { areShortcutsOn, isTyping, keepShortcuts } from './shortcut-keys.ts';
import styles from './shortcuts.module.css';

const openEvent = 'fanfold:shortcuts';
/** Time for the second key. */
const secondKeyMs = 1_500;

export function openShortcuts(): void {
  window.dispatchEvent(new Event(openEvent));
}

/** Keys that lead to pages, and the help about them. They can be switched off: some people speak to their computer. */
export function Shortcuts() {
  const t = useTexts(frameTexts);
  const [isOpen, setOpen] = useState(false);
  const [isOn, setOn] = useState(areShortcutsOn);
  useShortcuts(isOn && !isOpen, () => setOpen(true));
  useEffect(() => {
    const open = () => setOpen(true);
    window.addEventListener(openEvent, open);
    return () => window.removeEventListener(openEvent, open);
  }, []);
  const turn = (next: boolean) => {
    keepShortcuts(next);
    setOn(next);
  };
  return (
    <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t.shortcuts}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.shortcutsHelp}
        </Text>
        <ShortcutList />
        <Switch label={t.shortcutsOn} checked={isOn} onChange={(event) => turn(event.currentTarget.checked)} />
      </Stack>
    </Dialog>
  );
}

function ShortcutList() {
  const t = useTexts(frameTexts);
  const { language } = useLanguage();
  const rows = [
    ...navigation.map(({ shortcut, texts }) => ({
      keys: ['G', shortcut.toUpperCase()],
      text: t.goTo(texts[language].nav),
    })),
    { keys: ['/'], text: t.focusSearch },
    { keys: ['?'], text: t.showShortcuts },
  ];
  return (
    <dl className={styles.list}>
      {rows.map(({ keys, text }) => (
        <div key={text}>
          <dt>
            {keys.map((key, index) => (
              <Fragment key={key}>
                {index > 0 && <span> {t.keyThenKey} </span>}
                <Kbd>{key}</Kbd>
              </Fragment>
            ))}
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function useShortcuts(isOn: boolean, showHelp: () => void): void {
  const navigate = useNavigate();
  // Before anything is seen: a key that is pressed at once counts.
  useLayoutEffect(() => {
    if (!isOn) return;
    let waitsForSecondUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const target = event.timeStamp < waitsForSecondUntil && navigation.find(({ shortcut }) => shortcut === key);
      waitsForSecondUntil = key === 'g' ? event.timeStamp + secondKeyMs : 0;
      if (target) void navigate({ to: target.to });
      else if (event.key === '?') showHelp();
      else if (event.key !== '/' || !focusSearch()) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [isOn, navigate, showHelp]);
}

function focusSearch(): boolean {
  const field = document.querySelector<HTMLInputElement>('main input[type="search"]');
  field?.focus();
  return field !== null;
}
