import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/catalogue.ts';
import { useLanguage } from '../../i18n/language.tsx';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { IconMessageCircle, IconPlayerPause, IconPlayerPlay, IconRefresh } from '../../ui/icons.tsx';
import { notify, notifyProblem } from '../../ui/notify.tsx';
import { useEnableModel } from './models-changes.ts';
import type { HostedModel, ModelPath } from './models-queries.ts';
import { modelsTexts } from './models-texts.ts';
import { Retarget } from './retarget.tsx';

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
