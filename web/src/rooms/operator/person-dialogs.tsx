import { Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { type Person, personLimitsQuery, useChangePersonLimits, useGrant } from './operator-queries.ts';
import { peopleTexts } from './people-texts.ts';

type PersonDialogProps = { person: Person; isOpen: boolean; onClose: () => void };
type FormProps = { id: string; onClose: () => void };

export function GrantDialog({ person: { id, slug }, isOpen, onClose }: PersonDialogProps) {
  const t = useTexts(peopleTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.grantTitle(slug)}>
      <GrantForm id={id} onClose={onClose} />
    </Dialog>
  );
}

const amountPattern = /^\d{1,12}(\.\d{1,6})?$/;

function GrantForm({ id, onClose }: FormProps) {
  const t = useTexts(peopleTexts);
  const { optional } = useTexts(sharedTexts);
  const format = useFormat();
  const grant = useGrant(id);
  const keyOf = useIdempotencyKey();
  const form = useForm({
    initialValues: { credits: '', note: '' },
    validate: { credits: (text) => (amountPattern.test(text.trim()) && Number(text) > 0 ? null : t.amountWrong) },
  });
  const submit = form.onSubmit(({ credits, note }) => {
    const body = { credits: credits.trim(), ...(note.trim() ? { note: note.trim() } : {}) };
    grant.mutate(
      { body, idempotencyKey: keyOf(body) },
      {
        onSuccess: ({ balance }) => {
          notify({ tone: 'good', text: t.granted(format.credits(balance)) });
          onClose();
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput label={t.amount} inputMode="decimal" data-autofocus {...form.getInputProps('credits')} />
        <TextInput label={`${t.note} (${optional})`} maxLength={200} {...form.getInputProps('note')} />
        {grant.error && <ProblemNote error={grant.error} />}
        <SubmitRow action={t.grant} isBusy={grant.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}

export function LimitsDialog({ person: { id, slug }, isOpen, onClose }: PersonDialogProps) {
  const t = useTexts(peopleTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.limitsTitle(slug)}>
      <AsyncBoundary skeleton={<Skeleton height={320} />}>
        <LimitsForm id={id} onClose={onClose} />
      </AsyncBoundary>
    </Dialog>
  );
}

const bytesPerMib = 1_048_576;

function LimitsForm({ id, onClose }: FormProps) {
  const t = useTexts(peopleTexts);
  const { data } = useSuspenseQuery(personLimitsQuery(id));
  const change = useChangePersonLimits(id);
  const { requests_per_minute, concurrent_requests, credits_per_day, storage_bytes } = data.operator;
  const isNumber = (text: string) => (/^(\d{1,12}(\.\d{1,6})?)?$/.test(text.trim()) ? null : t.numberWrong);
  const form = useForm({
    initialValues: {
      perMinute: requests_per_minute?.toString() ?? '',
      concurrent: concurrent_requests?.toString() ?? '',
      perDay: credits_per_day?.replace(/\.?0+$/, '') ?? '',
      storage: storage_bytes === null ? '' : String(Math.round(storage_bytes / bytesPerMib)),
    },
    validate: { perMinute: isNumber, concurrent: isNumber, perDay: isNumber, storage: isNumber },
  });
  const numberOf = (text: string) => (text.trim() === '' ? null : Math.round(Number(text)));
  const submit = form.onSubmit(({ perMinute, concurrent, perDay, storage }) => {
    const mib = numberOf(storage);
    change.mutate(
      {
        requests_per_minute: numberOf(perMinute),
        concurrent_requests: numberOf(concurrent),
        credits_per_day: perDay.trim() || null,
        storage_bytes: mib === null ? null : mib * bytesPerMib,
      },
      {
        onSuccess: () => {
          notify({ tone: 'good', text: t.limitsSaved });
          onClose();
        },
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.limitsText}
        </Text>
        <TextInput label={t.perMinute} inputMode="numeric" data-autofocus {...form.getInputProps('perMinute')} />
        <TextInput label={t.concurrent} inputMode="numeric" {...form.getInputProps('concurrent')} />
        <TextInput label={t.perDay} inputMode="decimal" {...form.getInputProps('perDay')} />
        <TextInput label={t.storage} inputMode="numeric" {...form.getInputProps('storage')} />
        {change.error && <ProblemNote error={change.error} />}
        <SubmitRow action={t.save} isBusy={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
