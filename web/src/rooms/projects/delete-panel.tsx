import { Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { deleteTexts } from './delete-texts.ts';
import { type Project, useDeleteProject } from './projects-queries.ts';

export function DeletePanel({ project }: { project: Project }) {
  const t = useTexts(deleteTexts);
  const navigate = useNavigate();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useDeleteProject({ owner: project.owner.slug, project: project.slug }, async () => {
    notify({ tone: 'good', text: t.done(project.name) });
    await navigate({ to: '/projects', replace: true });
  });
  return (
    <Panel title={t.title} text={t.text} tone="danger">
      <Button variant="outline" color="rust" onClick={() => setConfirming(true)}>
        {t.action}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.confirm(project.name)}
        action={t.action}
        typed={{ label: t.typed(project.slug), value: project.slug }}
        isBusy={remove.isPending}
        error={remove.error}
        onConfirm={() => remove.mutate()}
      >
        <Stack gap="xs">
          <Text>{t.goes}</Text>
          <ul>
            <li>{t.datasets(project.counts?.datasets ?? 0)}</li>
            <li>{t.jobs(project.counts?.training_jobs ?? 0)}</li>
            <li>{t.models(project.counts?.hosted_models ?? 0)}</li>
            <li>{t.others}</li>
          </ul>
          <Text>{t.stays}</Text>
        </Stack>
      </Confirm>
    </Panel>
  );
}
