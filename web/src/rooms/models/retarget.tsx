import { Skeleton, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useChangeModel } from './models-changes.ts';
import type { HostedModel, ModelPath } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { TargetSelect } from './target-select.tsx';
import { targetOf, targetValue } from './target-value.ts';
import { useTargetName } from './use-target-name.ts';

type RetargetProps = { path: ModelPath; model: HostedModel; isOpen: boolean; onClose: () => void };

/** Changes the target of an alias. An active one switches when the new target is loaded. */
export function Retarget({ path, model, isOpen, onClose }: RetargetProps) {
  const t = useTexts(modelsTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.retargetTitle(model.alias)} size="lg">
      <AsyncBoundary skeleton={<Skeleton height={220} />}>
        <RetargetForm path={path} model={model} onClose={onClose} />
      </AsyncBoundary>
    </Dialog>
  );
}

function RetargetForm({ path, model, onClose }: Omit<RetargetProps, 'isOpen'>) {
  const t = useTexts(modelsTexts);
  const targetName = useTargetName(model.kind, [model.target]);
  const change = useChangeModel(path);
  const present = targetValue(model.target);
  const [target, setTarget] = useState(present);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { target: targetOf(target) },
      {
        onSuccess: ({ alias }) => {
          onClose();
          notify({ tone: 'good', text: t.retargeted(alias) });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.present}: {targetName(model.target)}. {model.state === 'active' ? t.retargetText : t.retargetInactive}{' '}
          {t.retargetNewRate}
        </Text>
        <TargetSelect
          kind={model.kind}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
          data-autofocus
        />
        {change.error ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={t.retargetDo} isBusy={change.isPending} disabled={target === present} onCancel={onClose} />
      </Stack>
    </form>
  );
}
