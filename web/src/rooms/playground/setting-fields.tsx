import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';

type NumberFieldProps = {
  label: string;
  value: number | null;
  range: readonly [number, number];
  isWhole?: boolean;
  onChange: (value: number) => void;
  /** It may be empty, which this text explains. */
  empty?: { text: string; onChange: () => void };
};

/** Invalid numbers show an error and are not applied. */
export function NumberField({
  label,
  value,
  range: [least, most],
  isWhole = false,
  onChange,
  empty,
}: NumberFieldProps) {
  const t = useTexts(playgroundTexts);
  const format = useFormat();
  const [text, setText] = useState(value === null ? '' : String(value));
  const read = (typed: string): number | null => {
    const number = Number(typed);
    const isRight = typed.trim() !== '' && number >= least && number <= most && (!isWhole || Number.isInteger(number));
    return isRight ? number : null;
  };
  const isEmpty = empty !== undefined && text.trim() === '';
  return (
    <TextInput
      label={label}
      inputMode="decimal"
      placeholder={empty?.text}
      value={text}
      error={!isEmpty && read(text) === null && t.numberWrong(format.number(least), format.number(most))}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        setText(typed);
        const number = read(typed);
        if (number !== null) onChange(number);
        else if (typed.trim() === '') empty?.onChange();
      }}
    />
  );
}

type JsonFieldProps = {
  label: string;
  description: string;
  text: string;
  /** Shown when the text is wrong. */
  error: string | false;
  onChange: (text: string) => void;
};

export function JsonField({ label, description, text, error, onChange }: JsonFieldProps) {
  return (
    <GrowingTextarea
      label={label}
      description={description}
      minRows={2}
      maxRows={12}
      value={text}
      error={error}
      classNames={{ input: styles.code ?? '' }}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Whether `read` takes the text; what it takes is applied. */
export function isRead(read: () => void): boolean {
  try {
    read();
    return true;
  } catch {
    return false;
  }
}
