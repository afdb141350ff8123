import { Kbd, Stack, Switch, Text } from '@mantine/core';
import { Fragment } from 'react';
import { catalogue, useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { paletteKeys } from '../../ui/shortcut-keys.ts';
import { useNavigation } from '../use-navigation.ts';
import styles from './shortcuts.module.css';

const shortcutTexts = catalogue(
  {
    shortcuts: 'Keyboard shortcuts',
    shortcutsHelp: 'Press keys with + together, the others one after the other. Letters do nothing while you type.',
    search: 'Search pages, projects, models, training jobs and datasets',
    shortcutsOn: 'Use keyboard shortcuts',
    goTo: (page: string) => `Go to ${page}`,
    showShortcuts: 'Show this help',
    focusSearch: 'Search on this page',
    keyThenKey: 'then',
  },
  {
    shortcuts: '键盘快捷键',
    shortcutsHelp: '以 + 相连的键需同时按下，其他键依次按下。输入文字时字母键不会触发。',
    search: '搜索页面、项目、模型、训练任务和数据集',
    shortcutsOn: '启用键盘快捷键',
    goTo: (page) => `前往${page}`,
    showShortcuts: '显示此帮助',
    focusSearch: '在此页面中搜索',
    keyThenKey: '然后',
  },
);

type ShortcutHelpProps = {
  isOpen: boolean;
  onClose: () => void;
  isOn: boolean;
  onTurn: (isOn: boolean) => void;
};

/** They can be switched off, for people who use speech input. */
export function ShortcutHelp({ isOpen, onClose, isOn, onTurn }: ShortcutHelpProps) {
  const t = useTexts(shortcutTexts);
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
  const t = useTexts(shortcutTexts);
  const { language } = useLanguage();
  const rows: { keys: readonly string[]; text: string; isTogether?: boolean }[] = [
    { keys: paletteKeys, text: t.search, isTogether: true },
    ...useNavigation().map(({ shortcut, texts }) => ({
      keys: ['G', shortcut.toUpperCase()],
      text: t.goTo(texts[language].name),
    })),
    { keys: ['/'], text: t.focusSearch },
    { keys: ['?'], text: t.showShortcuts },
  ];
  return (
    <dl className={styles.list}>
      {rows.map(({ keys, text, isTogether }) => (
        <div key={text}>
          <dt>
            {keys.map((key, index) => (
              <Fragment key={key}>
                {index > 0 && <span> {isTogether ? '+' : t.keyThenKey} </span>}
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
