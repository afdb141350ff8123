import { Kbd } from '@mantine/core';
import { areShortcutsOn } from '../../app/frame/shortcut-keys.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import styles from './feedback.module.css';
import { feedbackTexts } from './feedback-texts.ts';

/** The keys of the inbox, always in sight where there is a keyboard. */
export function Keys() {
  const t = useTexts(feedbackTexts);
  if (!areShortcutsOn()) return null;
  const rows = [
    { keys: ['J', 'K'], text: t.keyNext },
    { keys: ['1', '…', '9'], text: t.keyJudge },
    { keys: ['P'], text: t.keyPromote },
    { keys: ['S'], text: t.keySkip },
    { keys: ['X'], text: t.keyChoose },
  ];
  return (
    <dl className={styles.keys} aria-label={t.keys}>
      {rows.map(({ keys, text }) => (
        <div key={text}>
          <dt>{keys.map((key) => (key === '…' ? '–' : <Kbd key={key}>{key}</Kbd>))}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
