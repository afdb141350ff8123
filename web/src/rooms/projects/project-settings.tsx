import { Button, Group, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusWrong } from '../../ui/focus-wrong.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { ArchivePanel } from './archive-panel.tsx';
import { type Project, projectQuery, useChangeProject } from './projects-queries.ts';
import { projectsTexts } from './projects-texts.ts';

const route = getRouteApi('/signed-in/projects/$owner/$project');

export function ProjectSettings() {
  const { data: project } = useSuspenseQuery(projectQuery(route.useParams()));
  const isArchived = project.archived_at !== null;
  return (
    <>
      {!isArchived && (
        <>
          <General project={project} />
          <Visibility project={project} />
          <AutoSave project={project} />
        </>
      )}
      <ArchivePanel project={project} />
    </>
  );
}

const fieldsOf = ({ name, description }: Project) => ({ name, description: description ?? '' });

const pathOf = ({ owner, slug }: Project) => ({ owner: owner.slug, project: slug });

function General({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const shared = useTexts(sharedTexts);
  const change = useChangeProject(pathOf(project));
  const form = useForm({
    initialValues: fieldsOf(project),
    validate: { name: (text) => (text.trim() === '' ? t.nameMissing : null) },
  });
  const submit = form.onSubmit(
    ({ name, description }) =>
      change.mutate(
        // Only what was changed here: the rest may have been changed elsewhere since.
        {
          ...(form.isDirty('name') ? { name: name.trim() } : {}),
          ...(form.isDirty('description') ? { description: description.trim() || null } : {}),
        },
        {
          onSuccess: (saved) => {
            form.setValues(fieldsOf(saved));
            form.resetDirty(fieldsOf(saved));
            notify({ tone: 'good', text: shared.saved });
          },
          onError: (error) => applyProblem(form, error),
        },
      ),
    focusWrong,
  );
  return (
    <Panel title={t.settingsTitle}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={560}>
          <TextInput label={t.nameLabel} maxLength={80} {...form.getInputProps('name')} />
          <GrowingTextarea label={t.description} maxLength={500} minRows={2} {...form.getInputProps('description')} />
          {change.error && !isAboutField(form, change.error) ? <ProblemNote error={change.error} /> : null}
          <Group>
            <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
              {shared.save}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function Visibility({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const change = useChangeProject(pathOf(project));
  const set = (value: string) => {
    if (value === 'private' || value === 'public') change.mutate({ visibility: value });
  };
  return (
    <Panel title={t.visibilityTitle}>
      <Stack gap="md">
        {/* Shown as it will be while it is being saved, and as it is when that fails. */}
        <Radio.Group
          aria-label={t.visibilityTitle}
          value={(change.isPending ? change.variables.visibility : null) ?? project.visibility}
          onChange={set}
        >
          <Stack gap="sm">
            <Radio value="private" label={t.privateLabel} description={t.privateHint} />
            <Radio value="public" label={t.publicLabel} description={t.publicHint} />
          </Stack>
        </Radio.Group>
        {change.error ? <ProblemNote error={change.error} /> : null}
      </Stack>
    </Panel>
  );
}

function AutoSave({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const change = useChangeProject(pathOf(project));
  if (project.kind === 'embedding')
    return (
      <Panel title={t.autoSaveTitle}>
        <Text c="dimmed">{t.autoSaveEmbedding}</Text>
      </Panel>
    );
  return (
    <Panel title={t.autoSaveTitle} text={t.autoSaveText}>
      <Stack gap="md">
        <Switch
          label={t.autoSaveLabel}
          checked={(change.isPending ? change.variables.inference_auto_save : null) ?? project.inference_auto_save}
          onChange={(event) => change.mutate({ inference_auto_save: event.currentTarget.checked })}
        />
        {change.error ? <ProblemNote error={change.error} /> : null}
      </Stack>
    </Panel>
  );
}
