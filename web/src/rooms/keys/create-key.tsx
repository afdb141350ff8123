import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useUnsent } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import styles from './create-key.module.css';
import { useCreateKey } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';

/** Asks for a name, makes the key, and shows it, this once. */
export function CreateKey({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTexts(keysTexts);
  const create = useCreateKey();
  const key = create.data?.key;
  return (
    <Dialog
      opened={isOpen}
      onClose={onClose}
      onGone={create.reset}
      title={key ? t.createdTitle : t.createTitle}
      isFirm={key !== undefined}
    >
      {key ? <NewKey secret={key} onClose={onClose} /> : <NameForm create={create} onClose={onClose} />}
    </Dialog>
  );
}

function NameForm({ create, onClose }: { create: ReturnType<typeof useCreateKey>; onClose: () => void }) {
  const t = useTexts(keysTexts);
  const [name, setName] = useState('');
  const idempotencyKeyOf = useIdempotencyKey();
  useUnsent('new key', name, name !== '', setName);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wanted = { name: name.trim() };
    create.mutate({ ...wanted, idempotencyKey: idempotencyKeyOf(wanted) });
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <TextInput
          label={t.nameLabel}
          description={t.nameHint}
          placeholder={t.namePlaceholder}
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          autoComplete="off"
          data-autofocus
        />
        {create.error ? <ProblemNote error={create.error} /> : null}
        <SubmitRow action={t.create} isBusy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function NewKey({ secret, onClose }: { secret: string; onClose: () => void }) {
  const t = useTexts(keysTexts);
  return (
    <Stack gap="md">
      <Text>{t.createdText}</Text>
      <output className={styles.secret}>{secret}</output>
      <Group gap="xs">
        <CopyButton text={secret} label={t.copyKey} isMain />
        <Button variant="default" onClick={onClose}>
          {t.saved}
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        {t.howTo}
      </Text>
      <CodeBlock code="export FANFOLD_KEY=fnf_..." copied={`export FANFOLD_KEY=${secret}`} />
    </Stack>
  );
}
