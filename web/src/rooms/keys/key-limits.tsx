import { Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../../api/call.ts';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { focusWrong } from '../../ui/focus-wrong.ts';
import { notify } from '../../ui/notify.tsx';
import { Part } from '../../ui/part.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import type { KeyDialogProps } from './key-dialog.ts';
import { keyLimitsQuery, type LimitsChange, useChangeKeyLimits } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';

type Limits = AnswerOf<'GET /api/v1/keys/{key_id}/limits'>;
type Fields = { requests_per_minute: string; concurrent_requests: string; credits_per_day: string };

/** What may be asked of models with a key, and how much of it is used. */
export function KeyLimits({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const t = useTexts(keysTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.limitsTitle(apiKey.name)}>
      <Part skeleton={<RowsSkeleton columns={1} rows={3} />}>
        <LimitsForm keyId={apiKey.id} onClose={onClose} />
      </Part>
    </Dialog>
  );
}

function LimitsForm({ keyId, onClose }: { keyId: string; onClose: () => void }) {
  const t = useTexts(keysTexts);
  const shared = useTexts(sharedTexts);
  const format = useFormat();
  const { data: limits } = useSuspenseQuery(keyLimitsQuery(keyId));
  const change = useChangeKeyLimits(keyId);
  const form = useLimitsForm(limits);
  const submit = form.onSubmit(
    (fields) =>
      change.mutate(toChange(fields), {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.limitsSaved });
        },
        onError: (error) => applyProblem(form, error),
      }),
    focusWrong,
  );
  const { used } = limits;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.limitsText}
        </Text>
        <TextInput
          label={t.perMinute}
          description={t.used(format.number(used.requests))}
          inputMode="numeric"
          data-autofocus
          {...form.getInputProps('requests_per_minute')}
        />
        <TextInput
          label={t.concurrent}
          description={t.used(format.number(used.running))}
          inputMode="numeric"
          {...form.getInputProps('concurrent_requests')}
        />
        <TextInput
          label={t.perDay}
          description={t.used(format.credits(used.credits_today))}
          inputMode="decimal"
          {...form.getInputProps('credits_per_day')}
        />
        {change.error && !isAboutField(form, change.error) ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={shared.save} isBusy={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

const mostPerMinute = 1_000_000;
const mostConcurrent = 10_000;

function useLimitsForm({ requests_per_minute, concurrent_requests, credits_per_day }: Limits) {
  const t = useTexts(keysTexts);
  const format = useFormat();
  const wholeUpTo = (most: number) => (text: string) =>
    text.trim() === '' || (/^\d{1,7}$/.test(text.trim()) && Number(text) >= 1 && Number(text) <= most)
      ? null
      : t.wholeNumber(format.number(1), format.number(most));
  return useForm<Fields>({
    initialValues: {
      requests_per_minute: requests_per_minute?.toString() ?? '',
      concurrent_requests: concurrent_requests?.toString() ?? '',
      credits_per_day: withoutZeros(credits_per_day),
    },
    validate: {
      requests_per_minute: wholeUpTo(mostPerMinute),
      concurrent_requests: wholeUpTo(mostConcurrent),
      credits_per_day: (text) => (/^(\d{1,12}(\.\d{1,6})?)?$/.test(text.trim()) ? null : t.amount),
    },
  });
}

function withoutZeros(credits: string | null): string {
  return credits?.replace(/\.?0+$/, '') ?? '';
}

function toChange({ requests_per_minute, concurrent_requests, credits_per_day }: Fields): LimitsChange {
  const whole = (text: string) => (text.trim() === '' ? null : Number(text));
  return {
    requests_per_minute: whole(requests_per_minute),
    concurrent_requests: whole(concurrent_requests),
    credits_per_day: credits_per_day.trim() || null,
  };
}
