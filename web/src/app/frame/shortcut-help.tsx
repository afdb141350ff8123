import { Kbd, Stack, Switch, Text } from '@mantine/core';
import { Fragment } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { navigation } from '../navigation.ts';
import { frameTexts } from './frame-texts.ts';
import styles from './shortcuts.module.css';

type ShortcutHelpProps = {
  isOpen: boolean;
  onClose: () => void;
  isOn: boolean;
  onTurn: (isOn: boolean) => void;
};

/** They can be switched off, for people who use speech input. */
export function ShortcutHelp({ isOpen, onClose, isOn, onTurn }: ShortcutHelpProps) {
  const t = useTexts(frameTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.shortcuts}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.shortcutsHelp}
        </Text>
        <ShortcutList />
        <Switch label={t.shortcutsOn} checked={isOn} onChange={(event) => onTurn(event.currentTarget.checked)} />
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
      text: t.goTo(texts[language].name),
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
