import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { useUnsavedInput } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import styles from './keys.module.css';
import { type NewKeyBody, useCreateKey } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';
import { LimitsFields } from './limits-fields.tsx';
import { isLimited, type LimitsInput, noInput, toLimits } from './limits-form.ts';
import { useLimitsRules } from './limits-rules.ts';

/** Creates a key and shows it once. */
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
      {key ? <NewKey secret={key} onClose={onClose} /> : <KeyForm create={create} onClose={onClose} />}
    </Dialog>
  );
}

type Fields = LimitsInput & { name: string };

function KeyForm({ create, onClose }: { create: ReturnType<typeof useCreateKey>; onClose: () => void }) {
  const t = useTexts(keysTexts);
  const { optional } = useTexts(sharedTexts);
  const [isFolded, setFolded] = useState(true);
  const idempotencyKeyOf = useIdempotencyKey();
  const form = useForm<Fields>({ initialValues: { name: '', ...noInput }, validate: useLimitsRules() });
  useUnsavedInput('new key', form.values, form.isDirty(), form.setValues);
  const submit = form.onSubmit(
    (fields) => {
      const body = toBody(fields);
      create.mutate({ body, idempotencyKey: idempotencyKeyOf(body) });
    },
    (...failure) => {
      // Only limits can be invalid, and they are folded away.
      setFolded(false);
      focusInvalidField(...failure);
    },
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t.nameLabel}
          description={t.nameHint}
          placeholder={t.namePlaceholder}
          maxLength={80}
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <details className={styles.more} open={!isFolded} onToggle={(event) => setFolded(!event.currentTarget.open)}>
          <summary>
            {t.createLimits} ({optional})
          </summary>
          <Stack gap="md">
            <Text size="sm" c="dimmed">
              {t.createLimitsText}
            </Text>
            <LimitsFields propsOf={form.getInputProps} />
          </Stack>
        </details>
        {create.error ? <ProblemNote error={create.error} /> : null}
        <SubmitRow action={t.createAction} isBusy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** The server has defaults for empty fields. */
function toBody({ name, ...input }: Fields): NewKeyBody {
  const limits = toLimits(input);
  return { ...(name.trim() ? { name: name.trim() } : {}), ...(isLimited(limits) ? { limits } : {}) };
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
