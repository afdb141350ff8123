import { Checkbox, NativeSelect, Skeleton, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useNavigate } from '@tanstack/react-router';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useUnsavedInput } from '../../api/use-draft.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import type { Project } from '../projects/index.ts';
import { aliasPattern } from './alias-pattern.ts';
import { type NewAlias, useCreateAlias } from './models-changes.ts';
import type { Visibility } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { TargetSelect } from './target-select.tsx';
import { targetOf } from './target-value.ts';

type CreateAliasProps = { project: Project; isOpen: boolean; onClose: () => void };

export function CreateAlias({ project, isOpen, onClose }: CreateAliasProps) {
  const t = useTexts(modelsTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.createTitle} size="lg">
      <AsyncBoundary skeleton={<Skeleton height={360} />}>
        <AliasForm project={project} onClose={onClose} target="" />
      </AsyncBoundary>
    </Dialog>
  );
}

type Fields = { alias: string; target: string; display_name: string; visibility: Visibility; activate: boolean };

type AliasFormProps = { project: Project; onClose: () => void; target: string };

export function AliasForm({ project, onClose, target }: AliasFormProps) {
  const t = useTexts(modelsTexts);
  const shared = useTexts(sharedTexts);
  const navigate = useNavigate();
  const path = { owner: project.owner.slug, project: project.slug };
  const create = useCreateAlias(path);
  const idempotencyKeyOf = useIdempotencyKey();
  const form = useForm<Fields>({
    initialValues: { alias: '', target, display_name: '', visibility: 'private', activate: true },
    validate: {
      alias: (text) => (aliasPattern.test(text.trim()) ? null : t.aliasWrong),
      target: (value) => (value === '' ? t.targetMissing : null),
    },
  });
  useUnsavedInput(`new alias of ${path.owner}/${path.project} ${target}`, form.values, form.isDirty(), form.setValues);
  const submit = form.onSubmit((fields) => {
    const body = toBody(fields);
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ id, alias }) => {
          notify({ tone: 'good', text: t.created(alias) });
          void navigate({ to: '/projects/$owner/$project/hosted-models/$id', params: { ...path, id } });
        },
        onError: (error) => applyProblem(form, error),
      },
    );
  }, focusInvalidField);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t.alias}
          description={t.aliasHint}
          maxLength={63}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          {...form.getInputProps('alias')}
        />
        <TargetSelect kind={project.kind} {...form.getInputProps('target')} />
        <TextInput
          label={`${t.displayName} (${shared.optional})`}
          maxLength={80}
          {...form.getInputProps('display_name')}
        />
        <NativeSelect
          label={t.visibility}
          data={(['private', 'shared', 'public'] as const).map((value) => ({ value, label: t.visibilities[value] }))}
          {...form.getInputProps('visibility')}
        />
        <Checkbox
          label={t.activateNow}
          description={t.activateNowHint}
          {...form.getInputProps('activate', { type: 'checkbox' })}
        />
        {create.error && !isAboutField(form, create.error) ? <ProblemNote error={create.error} /> : null}
        <SubmitRow action={t.createAction} isBusy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

function toBody({ alias, target, display_name, visibility, activate }: Fields): NewAlias {
  const name = display_name.trim();
  return {
    alias: alias.trim(),
    target: targetOf(target),
    visibility,
    activate,
    ...(name === '' ? {} : { display_name: name }),
  };
}
