import { NativeSelect, Skeleton, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { hostedModelsQuery, type Project } from '../projects/index.ts';
import { AliasForm } from './create-alias.tsx';
import { useChangeModel } from './models-changes.ts';
import type { HostedModel, TargetName } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { targetValue } from './target-value.ts';

type ServeTargetProps = {
  project: Project;
  name: string;
  target: TargetName;
  isOpen: boolean;
  onClose: () => void;
};

/** Serves a target under a new alias, or under an existing one. */
export function ServeTarget({ name, isOpen, onClose, ...props }: ServeTargetProps) {
  const t = useTexts(modelsTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.serveTitle(name)} size="lg">
      <AsyncBoundary skeleton={<Skeleton height={360} />}>
        <Choice onClose={onClose} {...props} />
      </AsyncBoundary>
    </Dialog>
  );
}

function Choice({ project, target, onClose }: Omit<ServeTargetProps, 'name' | 'isOpen'>) {
  const t = useTexts(modelsTexts);
  const { data } = useSuspenseQuery(hostedModelsQuery({ owner: project.owner.slug, project: project.slug }));
  const [id, setId] = useState('');
  const model = data.data.find((each) => each.id === id);
  return (
    <Stack gap="md">
      {data.data.length > 0 && (
        <NativeSelect
          label={t.serveAs}
          value={id}
          onChange={(event) => setId(event.currentTarget.value)}
          data={[
            { value: '', label: t.newAlias },
            { group: t.servePresent, items: data.data.map((each) => ({ value: each.id, label: each.alias })) },
          ]}
        />
      )}
      {model ? (
        <Switchover key={model.id} project={project} target={target} model={model} onClose={onClose} />
      ) : (
        <AliasForm project={project} target={targetValue(target)} onClose={onClose} />
      )}
    </Stack>
  );
}

type SwitchoverProps = { project: Project; target: TargetName; model: HostedModel; onClose: () => void };

function Switchover({ project, target, model, onClose }: SwitchoverProps) {
  const t = useTexts(modelsTexts);
  const navigate = useNavigate();
  const path = { owner: project.owner.slug, project: project.slug, id: model.id };
  const change = useChangeModel(path);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { target },
      {
        onSuccess: ({ alias }) => {
          notify({ tone: 'good', text: t.retargeted(alias) });
          void navigate({ to: '/projects/$owner/$project/hosted-models/$id', params: path });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {model.state === 'active' ? t.retargetText : t.retargetInactive} {t.retargetNewRate}
        </Text>
        {change.error ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={t.retargetDo} isBusy={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
