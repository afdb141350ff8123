import { Kbd } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { areShortcutsOn } from '../../ui/shortcut-keys.ts';
import styles from './feedback.module.css';
import { feedbackTexts } from './feedback-texts.ts';

type ShortcutLegendProps = { canJudge: boolean; canSkip: boolean; canChoose: boolean };

/** Shown where there is a keyboard. */
export function ShortcutLegend({ canJudge, canSkip, canChoose }: ShortcutLegendProps) {
  const t = useTexts(feedbackTexts);
  if (!areShortcutsOn()) return null;
  const rows = [
    { keys: ['J', 'K'], text: t.keyNext, works: true },
    { keys: ['1', '…', '9'], text: t.keyJudge, works: canJudge },
    { keys: ['P'], text: t.keyPromote, works: canJudge },
    { keys: ['S'], text: t.keySkip, works: canSkip },
    { keys: ['X'], text: t.keyChoose, works: canChoose },
  ];
  return (
    <dl className={styles.keys} aria-label={t.keys}>
      {rows
        .filter(({ works }) => works)
        .map(({ keys, text }) => (
          <div key={text}>
            <dt>{keys.map((key) => (key === '…' ? '–' : <Kbd key={key}>{key}</Kbd>))}</dt>
            <dd>{text}</dd>
          </div>
        ))}
    </dl>
  );
}
