import { NativeSelect } from '@mantine/core';
import { useTexts } from '../../i18n/catalogue.ts';
import { type Choices, choiceOf, groupsOf, isAmong } from './choices.ts';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';

type ModelPickerProps = { choices: Choices; model: string; onChange: (model: string) => void; label: string };

export function ModelPicker({ choices, model, onChange, label }: ModelPickerProps) {
  const t = useTexts(playgroundTexts);
  const isGone = !isAmong(choices, model);
  const gone = isGone ? [{ value: model, label: model, disabled: true }] : [];
  return (
    <NativeSelect
      className={styles.picker}
      aria-label={label}
      value={model}
      data={[...gone, ...groupsOf(choices, t)]}
      error={isGone && t.modelGone}
      onChange={(event) => onChange(choiceOf(choices, event.currentTarget.value).id)}
    />
  );
}
