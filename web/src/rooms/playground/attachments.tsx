import { ActionIcon, Button } from '@mantine/core';
import { useRef } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { IconPhoto, IconX } from '../../ui/icons.tsx';
import { type ImageProblem, imageTypes } from './image-files.ts';
import { imageTexts } from './image-texts.ts';
import styles from './images.module.css';
import type { Attached } from './use-attached-images.ts';

/** The images that are sent with the next message, and what is wrong with them. */
export function AttachedImages({
  attached,
  hasVision,
  inChat,
}: {
  attached: Attached;
  hasVision: boolean;
  inChat: boolean;
}) {
  const t = useTexts(imageTexts);
  const format = useFormat();
  const { images, problem } = attached;
  return (
    <>
      {images.length > 0 && (
        <ul className={`${styles.images} ${styles.attached}`} aria-label={t.attached}>
          {images.map((url, at) => (
            <li key={url}>
              <img src={url} alt={t.image(format.number(at + 1))} />
              <ActionIcon
                size="sm"
                variant="default"
                aria-label={t.remove(format.number(at + 1))}
                onClick={() => attached.remove(at)}
              >
                <IconX size={14} />
              </ActionIcon>
            </li>
          ))}
        </ul>
      )}
      <p className={styles.note} role="alert">
        {noteOf({ t, problem, hasVision, isAttached: images.length > 0, inChat })}
      </p>
    </>
  );
}

type Note = {
  t: (typeof imageTexts)['en'];
  problem: ImageProblem | null;
  hasVision: boolean;
  isAttached: boolean;
  inChat: boolean;
};

function noteOf({ t, problem, hasVision, isAttached, inChat }: Note): string {
  if (problem !== null) return t.problems[problem];
  if (hasVision) return '';
  if (isAttached) return t.blind;
  return inChat ? t.blindChat : '';
}

export function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = useTexts(imageTexts);
  const field = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button variant="default" px="sm" aria-label={t.attach} title={t.attach} onClick={() => field.current?.click()}>
        <IconPhoto size={16} />
      </Button>
      <input
        ref={field}
        type="file"
        accept={imageTypes.join(',')}
        multiple
        hidden
        aria-label={t.attach}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file may be chosen again.
          event.currentTarget.value = '';
        }}
      />
    </>
  );
}
