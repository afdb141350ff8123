import { Button, Group, Stack, TextInput } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { Dialog } from './dialog.tsx';
import { ProblemNote } from './problem-note.tsx';

type ConfirmProps = {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** What will happen, and what cannot be undone. */
  children: ReactNode;
  /** Label of the button. */
  action: string;
  /** Label of the other button; by default "Cancel". */
  stay?: string;
  tone?: 'plain' | 'danger';
  /** A text that must be typed first, for destructive actions. */
  typed?: { label: string; value: string };
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
};

/** A confirmation dialog. */
export function Confirm({ isOpen, onClose, title, children, action, stay, tone = 'danger', ...props }: ConfirmProps) {
  const t = useTexts(sharedTexts);
  const { typed, isBusy, error, onConfirm } = props;
  const [text, setText] = useState('');
  const isAllowed = typed === undefined || text === typed.value;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isAllowed) onConfirm();
  };
  return (
    <Dialog opened={isOpen} onClose={onClose} title={title} isLossless>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div>{children}</div>
          {typed && (
            <TextInput
              label={typed.label}
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {error ? <ProblemNote error={error} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} data-autofocus={typed ? undefined : true}>
              {stay ?? t.cancel}
            </Button>
            <Button type="submit" color={tone === 'danger' ? 'rust' : 'pine'} loading={isBusy} disabled={!isAllowed}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
