import { Alert, Switch } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconAlertTriangle } from '../../ui/icons.tsx';
import type { Split } from '../examples/index.ts';
import styles from './feedback.module.css';
import { feedbackTexts } from './feedback-texts.ts';

export function SplitSwitch({ split, onChange }: { split: Split; onChange: (split: Split) => void }) {
  const t = useTexts(feedbackTexts);
  return (
    <Switch
      size="xs"
      label={t.toTest}
      checked={split === 'test'}
      onChange={({ currentTarget: { checked } }) => onChange(checked ? 'test' : 'train')}
    />
  );
}

type SplitNoteProps = {
  /** Of the examples that have the query; null: none has it. */
  querySplit: Split | null;
  testRatio: number;
  /** By hand. */
  isChosen: boolean;
  isLeaked: boolean;
};

/** Why the example goes to its split, or a warning that its query would be in both. */
export function SplitNote({ querySplit, testRatio, isChosen, isLeaked }: SplitNoteProps) {
  const t = useTexts(feedbackTexts);
  const format = useFormat();
  if (isLeaked)
    return (
      <Alert color="amber" icon={<IconAlertTriangle />}>
        {t.wouldLeak}
      </Alert>
    );
  if (isChosen) return null;
  return <p className={styles.note}>{querySplit ? t.keepsSplit[querySplit] : t.newQuery(format.percent(testRatio))}</p>;
}
