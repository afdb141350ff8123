import { Group, Radio, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { GrowingTextarea } from '../../ui/growing-textarea.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SaveButton } from '../../ui/save-button.tsx';
import { ArchivePanel } from './archive-panel.tsx';
import { DeletePanel } from './delete-panel.tsx';
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
          <General key={project.id} project={project} />
          <Visibility project={project} />
          <AutoSave project={project} />
        </>
      )}
      <ArchivePanel project={project} />
      <DeletePanel project={project} />
    </>
  );
}

const pathOf = ({ owner, slug }: Project) => ({ owner: owner.slug, project: slug });

function General({ project }: { project: Project }) {
  const t = useTexts(projectsTexts);
  const shared = useTexts(sharedTexts);
  const change = useChangeProject(pathOf(project));
  const form = useChanges(`settings of ${project.id}`, {
    name: project.name,
    description: project.description ?? '',
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (!form.isChanged) return;
    // Other fields may have been changed elsewhere meanwhile.
    const { changes } = form;
    const { name, description } = changes;
    if (name?.trim() === '') {
      form.setFieldError('name', t.nameMissing);
      return focusInvalidField(undefined, undefined, event);
    }
    change.mutate(
      {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(description === undefined ? {} : { description: description.trim() || null }),
      },
      {
        onSuccess: () => {
          form.forget(changes);
          notify({ tone: 'good', text: shared.saved });
        },
        onError: (error) => applyProblem(form, error),
      },
    );
  };
  return (
    <Panel title={t.settingsTitle}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={560}>
          <TextInput label={t.nameLabel} maxLength={80} {...form.inputOf('name')} />
          <GrowingTextarea label={t.description} maxLength={500} minRows={2} {...form.inputOf('description')} />
          {change.error && !isAboutField(form, change.error) ? <ProblemNote error={change.error} /> : null}
          <Group>
            <SaveButton isBusy={change.isPending} isChanged={form.isChanged} />
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
        {/* Optimistic; restored on failure. */}
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
