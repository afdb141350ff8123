import { Radio, Skeleton, Stack, Text } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import type { JobDialogProps } from './job-dialog.ts';
import { useRetryJob } from './training-changes.ts';
import { type RetryFrom, retryEstimateQuery } from './training-queries.ts';
import { trainingTexts } from './training-texts.ts';

/** Another attempt at a job, with an estimate of each option. */
export function RetryJob({ path, job, isOpen, onClose }: JobDialogProps) {
  const t = useTexts(trainingTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.retryTitle(job.name)} size="lg">
      <AsyncBoundary skeleton={<Skeleton height={220} />}>
        <RetryForm path={path} attempt={job.attempt} onClose={onClose} />
      </AsyncBoundary>
    </Dialog>
  );
}

type RetryFormProps = Pick<JobDialogProps, 'path' | 'onClose'> & { attempt: number };

function RetryForm({ path, attempt, onClose }: RetryFormProps) {
  const t = useTexts(trainingTexts);
  const format = useFormat();
  const { data: going } = useSuspenseQuery(retryEstimateQuery(path, 'checkpoint'));
  const { data: anew } = useSuspenseQuery(retryEstimateQuery(path, 'start'));
  const [from, setFrom] = useState<RetryFrom>(going.checkpoint ? 'checkpoint' : 'start');
  const retry = useRetryJob(path);
  const idempotencyKeyOf = useIdempotencyKey();
  const estimate = from === 'checkpoint' ? going : anew;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    retry.mutate(
      { from, idempotencyKey: idempotencyKeyOf({ from, attempt }) },
      {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.retried });
        },
      },
    );
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.retryText}
        </Text>
        <Radio.Group
          aria-label={t.retry}
          value={from}
          onChange={(value) => setFrom(value === 'checkpoint' ? 'checkpoint' : 'start')}
        >
          <Stack gap="sm">
            <Radio
              value="checkpoint"
              label={t.fromCheckpoint}
              description={
                going.checkpoint
                  ? t.fromCheckpointHint(format.number(going.checkpoint.step), format.number(going.remaining_steps))
                  : t.noCheckpoint
              }
              disabled={!going.checkpoint}
            />
            <Radio
              value="start"
              label={t.fromStart}
              description={t.fromStartHint(format.number(anew.remaining_steps))}
            />
          </Stack>
        </Radio.Group>
        <Text>
          {t.estimate(format.credits(estimate.credits.expected), format.credits(estimate.credits.high))}{' '}
          {t.takes(format.duration(estimate.active_ms.expected))}{' '}
          {t.available(format.credits(estimate.available_credits))}
        </Text>
        {estimate.blocked_reason && <Text c="var(--bad)">{t.blocked[estimate.blocked_reason]}</Text>}
        {retry.error ? <ProblemNote error={retry.error} /> : null}
        <SubmitRow action={t.retry} isBusy={retry.isPending} disabled={!estimate.can_retry} onCancel={onClose} />
      </Stack>
    </form>
  );
}
