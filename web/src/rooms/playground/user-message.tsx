import { ActionIcon, Button, Group, Tooltip } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconEdit } from '../../ui/icons.tsx';
import { imageTexts } from './image-texts.ts';
import imageStyles from './images.module.css';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';

type UserMessageProps = {
  text: string;
  /** Addresses of its images. */
  images?: readonly string[];
  onEdit?: ((text: string) => void) | undefined;
  /** An edit that was not sent. */
  start?: string | null;
};

/** A message of the user, which can be edited and sent again with `onEdit`. */
export function UserMessage({ text, images = [], onEdit, start = null }: UserMessageProps) {
  const t = useTexts(playgroundTexts);
  const { image } = useTexts(imageTexts);
  const format = useFormat();
  const [draft, setDraft] = useState(start);
  const button = useRef<HTMLButtonElement>(null);
  const cancel = () => {
    flushSync(() => setDraft(null));
    button.current?.focus();
  };
  if (draft !== null && onEdit)
    return <Draft draft={draft} onChange={setDraft} onCancel={cancel} onSend={() => onEdit(draft)} />;
  return (
    <article className={styles.said} aria-label={t.you}>
      <div>
        {images.length > 0 && (
          <ul className={imageStyles.images}>
            {images.map((url, at) => (
              <li key={url}>
                <img src={url} alt={image(format.number(at + 1))} />
              </li>
            ))}
          </ul>
        )}
        {text !== '' && <p>{text}</p>}
      </div>
      {onEdit && (
        <Tooltip label={t.edit}>
          <ActionIcon ref={button} size="md" aria-label={t.edit} onClick={() => setDraft(text)}>
            <IconEdit size={16} />
          </ActionIcon>
        </Tooltip>
      )}
    </article>
  );
}

type DraftProps = { draft: string; onChange: (text: string) => void; onCancel: () => void; onSend: () => void };

function Draft({ draft, onChange, onCancel, onSend }: DraftProps) {
  const t = useTexts(playgroundTexts);
  const { cancel } = useTexts(sharedTexts);
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim() !== '') onSend();
  };
  return (
    <form className={styles.draft} onSubmit={send}>
      <GrowingTextarea
        aria-label={t.editLabel}
        minRows={2}
        maxRows={10}
        value={draft}
        onChange={(event) => onChange(event.currentTarget.value)}
        autoFocus
      />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" size="xs" onClick={onCancel}>
          {cancel}
        </Button>
        <Button type="submit" size="xs" disabled={draft.trim() === ''}>
          {t.send}
        </Button>
      </Group>
    </form>
  );
}
