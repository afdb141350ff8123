import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { basePath } from '../../api/page-settings.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ButtonLink } from '../../ui/button-link.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { IconDownload, IconMessageCircle, IconRefresh, IconRocket, IconX } from '../../ui/icons.tsx';
import { notify } from '../../ui/notify.tsx';
import { ServeTarget } from '../models/index.ts';
import type { Project } from '../projects/index.ts';
import type { JobDialogProps } from './job-dialog.ts';
import { canCancel } from './job-state.ts';
import { RetryJob } from './retry-job.tsx';
import { spentSoFar } from './spent-so-far.ts';
import { useCancelJob } from './training-changes.ts';
import type { Job, JobPath } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

type JobActionsProps = { path: JobPath; job: Job; project: Project };

export function JobActions({ path, job, project }: JobActionsProps) {
  const t = useTexts(trainingTexts);
  const [open, setOpen] = useState<'cancel' | 'retry' | 'deploy' | null>(null);
  const close = () => setOpen(null);
  const archive = ['projects', path.owner, path.project, 'training-jobs', path.id, 'lora'].map(encodeURIComponent);
  return (
    <Group gap="xs">
      {canCancel(job.state) && (
        <Button variant="default" leftSection={<IconX size={16} />} onClick={() => setOpen('cancel')}>
          {t.cancel}
        </Button>
      )}
      {(job.state === 'failed' || job.state === 'canceled') && (
        <Button leftSection={<IconRefresh size={16} />} onClick={() => setOpen('retry')}>
          {t.retry}
        </Button>
      )}
      {job.state === 'succeeded' && (
        <>
          <Button
            component="a"
            variant="default"
            leftSection={<IconDownload size={16} />}
            href={`${basePath()}/api/v1/${archive.join('/')}`}
            title={t.downloadHint}
            download
          >
            {t.download}
          </Button>
          <ButtonLink
            variant="default"
            to="/projects/$owner/$project/playground"
            params={path}
            search={{ model: job.model_ref, compare: true }}
            leftSection={<IconMessageCircle size={16} />}
          >
            {t.compareWithBase}
          </ButtonLink>
          <Button leftSection={<IconRocket size={16} />} onClick={() => setOpen('deploy')}>
            {t.deploy}
          </Button>
        </>
      )}
      <CancelJob path={path} job={job} isOpen={open === 'cancel'} onClose={close} />
      <RetryJob path={path} job={job} isOpen={open === 'retry'} onClose={close} />
      <ServeTarget
        project={project}
        name={job.name}
        target={{ type: 'training_job', id: job.id }}
        isOpen={open === 'deploy'}
        onClose={close}
      />
    </Group>
  );
}

function CancelJob({ path, job, isOpen, onClose }: JobDialogProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const [keeps, setKeeps] = useState(true);
  const cancel = useCancelJob(path);
  const hasStarted = job.started_at !== null;
  const run = () =>
    cancel.mutate(keeps, {
      onSuccess: () => {
        onClose();
        notify({ tone: 'good', text: t.canceled });
      },
    });
  return (
    <Confirm
      isOpen={isOpen}
      onClose={onClose}
      title={t.cancelTitle(job.name)}
      action={t.cancelDo}
      stay={t.keepRunning}
      isBusy={cancel.isPending}
      error={cancel.error}
      onConfirm={run}
    >
      <Text mb={hasStarted ? 'sm' : 0}>
        {hasStarted ? t.cancelText(format.credits(spentSoFar(job))) : t.cancelQueued}
      </Text>
      {hasStarted && (
        <Checkbox
          label={t.keepCheckpoint}
          checked={keeps}
          onChange={(event) => setKeeps(event.currentTarget.checked)}
        />
      )}
    </Confirm>
  );
}
