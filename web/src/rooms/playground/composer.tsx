import { Button } from '@mantine/core';
import type { FormEvent, KeyboardEvent, ReactNode } from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconPlayerStop, IconSend } from '../../ui/icons.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';

type ComposerProps = {
  /** Name of the draft. */
  draft: string;
  isBusy: boolean;
  /** Resolves to false if it was not sent; then the text is restored. */
  onSend: (text: string) => Promise<boolean>;
  onStop: () => void;
  /** Beside the button: the model and its settings. */
  children: ReactNode;
};

export function Composer({ draft, isBusy, onSend, onStop, children }: ComposerProps) {
  const t = useTexts(playgroundTexts);
  const [text, setText] = useDraft(draft, '');
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy || text.trim() === '') return;
    setText('');
    if (!(await onSend(text))) setText((since) => since || text);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // During composition, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
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
        {children}
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
