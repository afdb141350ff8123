import { Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSuspenseQuery } from '@tanstack/react-query';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { AsyncBoundary } from '../../ui/async-boundary.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { notify } from '../../ui/notify.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SubmitRow } from '../../ui/submit-row.tsx';
import { TableSkeleton } from '../../ui/table-skeleton.tsx';
import type { KeyDialogProps } from './key-dialog.ts';
import { keyLimitsQuery, useChangeKeyLimits } from './keys-queries.ts';
import { keysTexts } from './keys-texts.ts';
import { LimitsFields } from './limits-fields.tsx';
import { type LimitsInput, toInput, toLimits } from './limits-form.ts';
import { useLimitsRules } from './limits-rules.ts';

export function KeyLimits({ apiKey, isOpen, onClose }: KeyDialogProps) {
  const t = useTexts(keysTexts);
  return (
    <Dialog opened={isOpen} onClose={onClose} title={t.limitsTitle(apiKey.name)}>
      <AsyncBoundary skeleton={<TableSkeleton columns={1} rows={3} />}>
        <LimitsForm keyId={apiKey.id} onClose={onClose} />
      </AsyncBoundary>
    </Dialog>
  );
}

function LimitsForm({ keyId, onClose }: { keyId: string; onClose: () => void }) {
  const t = useTexts(keysTexts);
  const shared = useTexts(sharedTexts);
  const { data: limits } = useSuspenseQuery(keyLimitsQuery(keyId));
  const change = useChangeKeyLimits(keyId);
  const form = useForm<LimitsInput>({ initialValues: toInput(limits), validate: useLimitsRules() });
  const submit = form.onSubmit(
    (fields) =>
      change.mutate(toLimits(fields), {
        onSuccess: () => {
          onClose();
          notify({ tone: 'good', text: t.limitsSaved });
        },
        onError: (error) => applyProblem(form, error),
      }),
    focusInvalidField,
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t.limitsText}
        </Text>
        <LimitsFields propsOf={form.getInputProps} used={limits.used} hasFocus />
        {change.error && !isAboutField(form, change.error) ? <ProblemNote error={change.error} /> : null}
        <SubmitRow action={shared.save} isBusy={change.isPending} onCancel={onClose} />
      </Stack>
    </form>
  );
}
