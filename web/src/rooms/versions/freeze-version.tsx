import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useUnsavedInput } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { type DatasetPath, versionName } from '../data/index.ts';
import { useFreeze } from './versions-queries.ts';
import { versionsTexts } from './versions-texts.ts';

type FreezeVersionProps = { at: DatasetPath; isOpen: boolean; onClose: () => void };

export function FreezeVersion({ isOpen, ...props }: FreezeVersionProps) {
  const t = useTexts(versionsTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.freeze}>
      <FreezeForm {...props} />
    </Dialog>
  );
}

function FreezeForm({ at, onClose }: Omit<FreezeVersionProps, 'isOpen'>) {
  const t = useTexts(versionsTexts);
  const shared = useTexts(sharedTexts);
  const [label, setLabel] = useState('');
  const freeze = useFreeze(at);
  const idempotencyKeyOf = useIdempotencyKey();
  useUnsavedInput(`version of ${at.dataset}`, label, label !== '', setLabel);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const fields = { label: label.trim() || null };
    freeze.mutate(
      { ...fields, idempotencyKey: idempotencyKeyOf(fields) },
      {
        onSuccess: ({ number }) => {
          notify({ tone: 'good', text: t.frozen(versionName(number)) });
          onClose();
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm">{t.freezeText}</Text>
        <TextInput
          label={`${t.label} (${shared.optional})`}
          description={t.labelHint}
          maxLength={80}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          data-autofocus
        />
        {freeze.error ? <ProblemNote error={freeze.error} /> : null}
        <SubmitRow action={t.freeze} isBusy={freeze.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
