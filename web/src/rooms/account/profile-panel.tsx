import { Group, Stack, Text, TextInput } from '@mantine/core';
import type { FormEvent } from 'react';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useChanges } from '../../api/use-changes.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { SaveButton } from '../../ui/save-button.tsx';
import { useAccount, useChangeProfile } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';

export function ProfilePanel() {
  const t = useTexts(accountTexts);
  const shared = useTexts(sharedTexts);
  const format = useFormat();
  const account = useAccount();
  const change = useChangeProfile();
  const form = useChanges(`profile of ${account.id}`, { display_name: account.display_name });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { changes } = form;
    const { display_name } = changes;
    if (display_name === undefined) return;
    if (display_name.trim() === '') {
      form.setFieldError('display_name', t.nameMissing);
      return focusInvalidField(undefined, undefined, event);
    }
    change.mutate(
      { display_name: display_name.trim() },
      {
        onSuccess: () => {
          form.forget(changes);
          notify({ tone: 'good', text: shared.saved });
        },
        onError: (error) => applyProblem(form, error),
      },
    );
  };
  return (
    <Panel title={t.profile}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={480}>
          <TextInput label={t.name} maxLength={80} autoComplete="name" {...form.inputOf('display_name')} />
          <TextInput
            label={t.email}
            description={t.emailHint}
            value={account.email ?? t.noEmail}
            readOnly
            variant="filled"
          />
          <TextInput label={t.slug} description={t.slugHint} value={account.slug} readOnly variant="filled" />
          {change.error && !isAboutField(form, change.error) ? <ProblemNote error={change.error} /> : null}
          <Group>
            <SaveButton isBusy={change.isPending} isChanged={form.isChanged} />
            <Text size="xs" c="dimmed">
              {t.opened(format.date(account.created_at))}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
