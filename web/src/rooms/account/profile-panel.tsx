import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { applyProblem, isAboutField } from '../../api/form-problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusWrong } from '../../ui/focus-wrong.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { useAccount, useChangeProfile } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';

export function ProfilePanel() {
  const t = useTexts(accountTexts);
  const shared = useTexts(sharedTexts);
  const format = useFormat();
  const account = useAccount();
  const change = useChangeProfile();
  const form = useForm({
    initialValues: { display_name: account.display_name },
    validate: { display_name: (text) => (text.trim() === '' ? t.nameMissing : null) },
  });
  const submit = form.onSubmit(
    ({ display_name }) =>
      change.mutate(
        { display_name: display_name.trim() },
        {
          onSuccess: () => {
            form.resetDirty();
            notify({ tone: 'good', text: shared.saved });
          },
          onError: (error) => applyProblem(form, error),
        },
      ),
    focusWrong,
  );
  return (
    <Panel title={t.profile}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={480}>
          <TextInput label={t.name} maxLength={80} autoComplete="name" {...form.getInputProps('display_name')} />
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
            <Button type="submit" loading={change.isPending} disabled={!form.isDirty()}>
              {shared.save}
            </Button>
            <Text size="xs" c="dimmed">
              {t.opened(format.date(account.created_at))}
            </Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}
