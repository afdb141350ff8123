import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { IconMessageCircle, IconPlayerPause, IconPlayerPlay, IconRefresh } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { useChangeModel, useEnableModel } from './models-changes.ts';
import type { HostedModel, ModelPath } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { TargetSelect } from './target-select.tsx';
import { targetOf, targetValue } from './target-value.ts';
import { useTargetName } from './use-target-name.ts';

type ModelProps = { path: ModelPath; model: HostedModel };

export function ModelActions({ path, model }: ModelProps) {
  const t = useTexts(modelsTexts);
  const [isRetargeting, setRetargeting] = useState(false);
  const isTrained = model.target.type === 'training_job' ? true : undefined;
  return (
    <Group gap="xs">
      {model.state === 'active' && (
        <ButtonLink
          to="/projects/$owner/$project/playground"
          params={path}
          search={{ model: model.alias, compare: isTrained }}
          leftSection={<IconMessageCircle size={16} />}
        >
          {isTrained ? t.compareWithBase : t.tryIt}
        </ButtonLink>
      )}
      {model.state !== 'warming' && (
        <Button variant="default" leftSection={<IconRefresh size={16} />} onClick={() => setRetargeting(true)}>
          {t.retarget}
        </Button>
      )}
      {model.enabled && model.state !== 'failed' ? <Deactivate path={path} model={model} /> : <Activate path={path} />}
      <Retarget path={path} model={model} isOpen={isRetargeting} onClose={() => setRetargeting(false)} />
    </Group>
  );
}

function Activate({ path }: Pick<ModelProps, 'path'>) {
  const t = useTexts(modelsTexts);
  const { language } = useLanguage();
  const enable = useEnableModel(path);
  const run = () =>
    enable.mutate(true, {
      onSuccess: ({ alias, state }) =>
        notify({ tone: 'good', text: state === 'active' ? t.activated(alias) : t.checking(alias) }),
      onError: (error) => notifyProblem(error, language),
    });
  return (
    <Button leftSection={<IconPlayerPlay size={16} />} loading={enable.isPending} onClick={run}>
      {t.activate}
    </Button>
  );
}

function Deactivate({ path, model }: ModelProps) {
  const t = useTexts(modelsTexts);
  const [isConfirming, setConfirming] = useState(false);
  const enable = useEnableModel(path);
  const run = () =>
    enable.mutate(false, {
      onSuccess: ({ alias }) => {
        setConfirming(false);
        notify({ tone: 'good', text: t.deactivated(alias) });
      },
    });
  return (
    <>
      <Button variant="default" leftSection={<IconPlayerPause size={16} />} onClick={() => setConfirming(true)}>
        {t.deactivate}
      </Button>
      <Confirm
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        title={t.deactivateTitle(model.alias)}
        action={t.deactivate}
        isBusy={enable.isPending}
        error={enable.error}
        onConfirm={run}
      >
        <Text>{t.deactivateText}</Text>
      </Confirm>
    </>
  );
}

type RetargetProps = { path: ModelPath; model: HostedModel; isOpen: boolean; onClose: () => void };

/** Changes the target of an alias. An active one switches when the new target is loaded. */
function Retarget({ path, model, isOpen, onClose }: RetargetProps) {
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
