import { Button } from '@mantine/core';
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  lazy,
  type ReactNode,
  Suspense,
} from 'react';
import { useDraft } from '../../api/use-draft.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { IconPlayerStop, IconSend } from '../../ui/icons.tsx';
import styles from './playground.module.css';
import { playgroundTexts } from './playground-texts.ts';
import { useAttachedImages } from './use-attached-images.ts';

const loadAttachments = () => import('./attachments.tsx');
const AttachedImages = lazy(async () => ({ default: (await loadAttachments()).AttachedImages }));
const AttachButton = lazy(async () => ({ default: (await loadAttachments()).AttachButton }));

type ComposerProps = {
  /** Name of the draft. */
  draft: string;
  isBusy: boolean;
  /** Resolves to false if it was not sent; then the text is restored. */
  onSend: (text: string, images: readonly string[]) => Promise<boolean>;
  onStop: () => void;
  /** The model reads images. */
  hasVision: boolean;
  /** Images were sent earlier in the conversation, and are sent again. */
  hasImages: boolean;
  /** Beside the button: the model and its settings. */
  children: ReactNode;
};

export function Composer({ draft, isBusy, onSend, onStop, hasVision, hasImages, children }: ComposerProps) {
  const t = useTexts(playgroundTexts);
  const [text, setText] = useDraft(draft, '');
  const attached = useAttachedImages();
  const { images } = attached;
  const isBlind = !hasVision && (hasImages || images.length > 0);
  const canSend = !isBlind && (text.trim() !== '' || images.length > 0);
  const send = async (event?: FormEvent) => {
    event?.preventDefault();
    if (isBusy || !canSend) return;
    setText('');
    attached.set([]);
    if (await onSend(text, images)) return;
    setText((since) => since || text);
    attached.set(images);
  };
  const add = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (attached.add(data.files)) event.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // During composition, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      className={styles.composer}
      onSubmit={send}
      onPaste={(event) => add(event, event.clipboardData)}
      onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
      onDrop={(event) => add(event, event.dataTransfer)}
    >
      {(isBlind || images.length > 0 || attached.problem !== null) && (
        <Suspense>
          <AttachedImages attached={attached} hasVision={hasVision} inChat={hasImages} />
        </Suspense>
      )}
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
        {hasVision && (
          <Suspense>
            <AttachButton onFiles={attached.add} />
          </Suspense>
        )}
        <small>{t.sendHint}</small>
        {isBusy ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={onStop}>
            {t.stop}
          </Button>
        ) : (
          <Button type="submit" leftSection={<IconSend size={16} />} disabled={!canSend}>
            {t.send}
          </Button>
        )}
      </div>
    </form>
  );
}
