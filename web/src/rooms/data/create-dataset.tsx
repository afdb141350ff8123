import { Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useUnsavedInput } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import type { ProjectPath } from '../projects/index.ts';
import { type Dataset, type DatasetPath, useChangeDataset, useCreateDataset } from './datasets-queries.ts';
import { datasetsTexts } from './datasets-texts.ts';

type CreateDatasetProps = { at: ProjectPath; isOpen: boolean; onClose: () => void };

export function CreateDataset({ isOpen, ...props }: CreateDatasetProps) {
  const t = useTexts(datasetsTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.createTitle}>
      <CreateForm {...props} />
    </Dialog>
  );
}

function CreateForm({ at, onClose }: Omit<CreateDatasetProps, 'isOpen'>) {
  const t = useTexts(datasetsTexts);
  const create = useCreateDataset(at);
  const navigate = useNavigate();
  const idempotencyKeyOf = useIdempotencyKey();
  const form = useFacts({ name: '', description: '' });
  useUnsavedInput(`new dataset of ${at.owner}/${at.project}`, form.values, form.isDirty(), form.setValues);
  const submit = form.onSubmit((fields) => {
    const body = { name: fields.name.trim(), description: fields.description.trim() || null };
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ id, name }) => {
          notify({ tone: 'good', text: t.created(name) });
          void navigate({ to: '/projects/$owner/$project/data/$dataset', params: { ...at, dataset: id } });
        },
        onError: (error) => applyProblem(form, error),
      },
    );
  }, focusInvalidField);
  return (
    <Facts
      form={form}
      submit={submit}
      onClose={onClose}
      action={t.createAction}
      error={create.error}
      isBusy={create.isPending}
    />
  );
}

type EditDatasetProps = { at: DatasetPath; dataset: Dataset; isOpen: boolean; onClose: () => void };

export function EditDataset({ isOpen, ...props }: EditDatasetProps) {
  const t = useTexts(datasetsTexts);
  return (
    <Dialog opened={isOpen} onClose={props.onClose} title={t.editTitle}>
      <EditForm {...props} />
    </Dialog>
  );
}

function EditForm({ at, dataset, onClose }: Omit<EditDatasetProps, 'isOpen'>) {
  const { save } = useTexts(sharedTexts);
  const change = useChangeDataset(at, onClose);
  const form = useFacts({ name: dataset.name, description: dataset.description ?? '' });
  const submit = form.onSubmit(
    ({ name, description }) =>
      change.mutate(
        // Other fields may have been changed elsewhere meanwhile.
        {
          ...(form.isDirty('name') ? { name: name.trim() } : {}),
          ...(form.isDirty('description') ? { description: description.trim() || null } : {}),
        },
        { onError: (error) => applyProblem(form, error) },
      ),
    focusInvalidField,
  );
  return (
    <Facts form={form} submit={submit} onClose={onClose} action={save} error={change.error} isBusy={change.isPending} />
  );
}

function useFacts(initialValues: { name: string; description: string }) {
  const t = useTexts(datasetsTexts);
  return useForm({
    initialValues,
    validate: { name: (text) => (text.trim() === '' ? t.nameMissing : null) },
  });
}

type FactsProps = {
  form: ReturnType<typeof useFacts>;
  submit: ReturnType<ReturnType<typeof useFacts>['onSubmit']>;
  action: string;
  error: unknown;
  isBusy: boolean;
  onClose: () => void;
};

function Facts({ form, submit, action, error, isBusy, onClose }: FactsProps) {
  const t = useTexts(datasetsTexts);
  const shared = useTexts(sharedTexts);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={t.nameLabel} maxLength={80} data-autofocus {...form.getInputProps('name')} />
        <GrowingTextarea
          label={`${t.description} (${shared.optional})`}
          maxLength={500}
          minRows={2}
          {...form.getInputProps('description')}
        />
        {error && !isAboutField(form, error) ? <ProblemNote error={error} /> : null}
        <SubmitRow action={action} isBusy={isBusy} onCancel={onClose} />
      </Stack>
    </form>
  );
}
