import { NativeSelect, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useTexts } from '../../i18n/catalogue.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { type ModelKind, modelKinds } from '../../ui/kind.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { modelsTexts } from './models-texts.ts';
import { useAddModel } from './operator-queries.ts';

type AddModelProps = { isOpen: boolean; onClose: () => void };

/** Adds a GGUF file of the server. */
export function AddModel({ isOpen, onClose }: AddModelProps) {
  const t = useTexts(modelsTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.addTitle}>
      <AddForm onClose={onClose} />
    </Dialog>
  );
}

function AddForm({ onClose }: { onClose: () => void }) {
  const t = useTexts(modelsTexts);
  const add = useAddModel();
  const form = useForm({
    initialValues: { path: '', id: '', kind: '' as ModelKind | '', context: '' },
    validate: {
      path: (text) => (text.trim() === '' ? t.pathMissing : null),
      id: (text) => (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(text.trim()) ? null : t.idWrong),
      context: (text) => (/^\d*$/.test(text.trim()) ? null : t.numberWrong),
    },
  });
  const submit = form.onSubmit(({ path, id, kind, context }) =>
    add.mutate(
      {
        path: path.trim(),
        id: id.trim(),
        ...(kind === '' ? {} : { kind }),
        context_tokens: context.trim() === '' ? null : Number(context),
      },
      {
        onSuccess: (added) => {
          notify({ tone: 'good', text: [t.added(added.id), ...added.warnings].join(' ') });
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={t.path} description={t.pathHint} data-autofocus {...form.getInputProps('path')} />
        <TextInput label={t.id} description={t.idHint} {...form.getInputProps('id')} />
        <NativeSelect
          label={t.kind}
          data={[{ value: '', label: t.kindOfFile }, ...modelKinds.map((value) => ({ value, label: t.kinds[value] }))]}
          {...form.getInputProps('kind')}
        />
        <TextInput
          label={t.contextTokens}
          description={t.auto}
          inputMode="numeric"
          {...form.getInputProps('context')}
        />
        {add.error && <ProblemNote error={add.error} />}
        <SubmitRow action={t.add} isBusy={add.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
