import { Button, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { IconEdit } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useChangeModel } from './models-changes.ts';
import type { HostedModel, ModelPath } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';

/** Changes the display name; the alias stays. */
export function RenameModel({ path, model }: { path: ModelPath; model: HostedModel }) {
  const t = useTexts(modelsTexts);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size="xs"
        leftSection={<IconEdit size={14} />}
        onClick={() => setOpen(true)}
      >
        {t.rename}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t.rename}>
        <NameForm path={path} model={model} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function NameForm({ path, model, onClose }: { path: ModelPath; model: HostedModel; onClose: () => void }) {
  const t = useTexts(modelsTexts);
  const shared = useTexts(sharedTexts);
  const [name, setName] = useState(model.display_name);
  const change = useChangeModel(path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { display_name: name.trim() },
      {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.renamed });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t.displayName}
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        {change.error ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={shared.save} isBusy={change.isPending} disabled={name.trim() === ''} onCancel={onClose} />
      </Stack>
    </form>
  );
}
