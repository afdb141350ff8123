import { Radio, Stack, TextInput } from '@mantine/core';
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
import { type NewProject, useCreateProject } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';
import { isSlug, slugOf } from './slug.ts';

export function CreateProject({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTexts(projectsTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.createTitle} size="lg">
      <ProjectForm onClose={onClose} />
    </Dialog>
  );
}

type Fields = { name: string; slug: string; kind: 'text' | 'embedding'; description: string };

function ProjectForm({ onClose }: { onClose: () => void }) {
  const t = useTexts(projectsTexts);
  const shared = useTexts(sharedTexts);
  const navigate = useNavigate();
  const create = useCreateProject();
  const idempotencyKeyOf = useIdempotencyKey();
  const form = useForm<Fields>({
    initialValues: { name: '', slug: '', kind: 'text', description: '' },
    validate: {
      name: (text) => (text.trim() === '' ? t.nameMissing : null),
      slug: (text, { name }) => (isSlug(text || slugOf(name)) || (text === '' && !slugOf(name)) ? null : t.slugWrong),
    },
  });
  useUnsavedInput('new project', form.values, form.isDirty(), form.setValues);
  const submit = form.onSubmit((fields) => {
    const body = toBody(fields);
    create.mutate(
      { body, idempotencyKey: idempotencyKeyOf(body) },
      {
        onSuccess: ({ name, slug, owner }) => {
          notify({ tone: 'good', text: t.created(name) });
          void navigate({ to: '/projects/$owner/$project', params: { owner: owner.slug, project: slug } });
        },
        onError: (error) => applyProblem(form, error),
      },
    );
  }, focusInvalidField);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={t.nameLabel} maxLength={80} data-autofocus {...form.getInputProps('name')} />
        <Radio.Group label={t.kindLabel} description={t.kindHint} {...form.getInputProps('kind')}>
          <Stack gap="xs" mt="xs">
            <Radio value="text" label={t.textKind} description={t.textKindHint} />
            <Radio value="embedding" label={t.embeddingKind} description={t.embeddingKindHint} />
          </Stack>
        </Radio.Group>
        <TextInput
          label={t.slugLabel}
          description={t.slugHint}
          placeholder={slugOf(form.values.name)}
          maxLength={64}
          autoComplete="off"
          spellCheck={false}
          {...form.getInputProps('slug')}
        />
        <GrowingTextarea
          label={`${t.descriptionLabel} (${shared.optional})`}
          description={t.descriptionHint}
          maxLength={500}
          minRows={2}
          {...form.getInputProps('description')}
        />
        {create.error && !isAboutField(form, create.error) ? <ProblemNote error={create.error} /> : null}
        <SubmitRow action={t.createAction} isBusy={create.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

/** The server makes the slug of an empty field. */
function toBody({ name, slug, kind, description }: Fields): NewProject {
  return {
    name: name.trim(),
    kind,
    ...(slug ? { slug } : {}),
    ...(description.trim() ? { description: description.trim() } : {}),
  };
}
