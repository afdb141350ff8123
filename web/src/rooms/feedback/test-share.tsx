import { NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import styles from './feedback.module.css';
import { greatestShare } from './feedback-queries.ts';
import { feedbackTexts } from './feedback-texts.ts';

type TestShareProps = { percent: number; onChange: (percent: number) => void };

/** How many percent of the new queries go to the test split. */
export function TestShare({ percent, onChange }: TestShareProps) {
  const t = useTexts(feedbackTexts);
  const [typed, setTyped] = useState<number | string>(percent);
  return (
    <NumberInput
      size="xs"
      classNames={{ root: styles.share ?? '' }}
      label={t.testShare}
      min={0}
      max={greatestShare}
      clampBehavior="strict"
      allowDecimal={false}
      value={typed}
      onChange={(value) => {
        setTyped(value);
        if (typeof value === 'number') onChange(value);
      }}
      onBlur={() => setTyped(percent)}
    />
  );
}
