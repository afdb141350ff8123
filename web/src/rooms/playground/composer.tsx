import { Button } from '@mantine/core';
import { type FormEvent, type KeyboardEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconPlayerStop, IconSend } from '../../ui/icons.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';

type ComposerProps = { isBusy: boolean; onSend: (text: string) => void; onStop: () => void };

/** Where one writes; while an answer arrives, where one stops it. */
export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const t = useTexts(playgroundTexts);
  const [text, setText] = useState('');
  const send = (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy || text.trim() === '') return;
    onSend(text);
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // While characters are composed, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form className={styles.composer} onSubmit={send}>
      <GrowingTextarea
        aria-label={t.sayLabel}
        placeholder={t.sayHint}
        minRows={2}
        maxRows={10}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.composerFoot}>
        <small>{t.sendHint}</small>
        {isBusy ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={onStop}>
            {t.stop}
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} />} disabled={text.trim() === ''}>
            {t.send}
          </Button>
        )}
      </div>
    </form>
  );
}
