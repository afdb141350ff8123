import { Button, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { newPasswordTexts, useWeakPassword } from '../../ui/new-password.ts';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { type Account, useAccount, useChangePassword } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';

const minLength = 12;

export function PasswordPanel() {
  const t = useTexts(accountTexts);
  const account = useAccount();
  if (!account.auth.has_password)
    return (
      <Panel title={t.password}>
        <Text c="dimmed">{t.external}</Text>
      </Panel>
    );
  return (
    <Panel title={t.password} text={t.passwordText}>
      <PasswordForm account={account} />
    </Panel>
  );
}

function PasswordForm({ account }: { account: Account }) {
  const t = useTexts(accountTexts);
  const newTexts = useTexts(newPasswordTexts);
  const change = useChangePassword();
  const fieldErrorOf = useFieldError();
  const form = useForm({
    initialValues: { current_password: '', new_password: '' },
    validate: {
      current_password: (text) => (text === '' ? t.currentMissing : null),
      new_password: (text) => (text.length < minLength ? newTexts.rules.min_length : null),
    },
  });
  const submit = form.onSubmit(
    (body) =>
      change.mutate(body, {
        onSuccess: () => {
          form.reset();
          notify({ tone: 'good', text: t.changed });
        },
        onError: (error) => {
          const about = fieldErrorOf(error);
          if (about) form.setFieldError(about.field, about.text);
        },
      }),
    focusInvalidField,
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={480}>
        {/* Password managers need the user name. */}
        <input type="text" autoComplete="username" value={account.email ?? account.slug} readOnly hidden />
        <PasswordField label={t.current} autoComplete="current-password" {...form.getInputProps('current_password')} />
        <PasswordField
          label={t.next}
          description={newTexts.hint(String(minLength))}
          autoComplete="new-password"
          {...form.getInputProps('new_password')}
        />
        {change.error && fieldErrorOf(change.error) === null ? <ProblemNote error={change.error} /> : null}
        <Group>
          <Button type="submit" loading={change.isPending}>
            {t.change}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useFieldError() {
  const t = useTexts(accountTexts);
  const format = useFormat();
  const weakness = useWeakPassword();
  return (error: unknown): { field: 'current_password' | 'new_password'; text: string } | null => {
    const weak = weakness(error);
    if (weak !== null) return { field: 'new_password', text: weak };
    if (isProblem(error, 'invalid_password')) return { field: 'current_password', text: t.currentWrong };
    if (isProblem(error, 'rate_limited') && error.retryAfterS !== null)
      return { field: 'current_password', text: t.wait(format.wait(error.retryAfterS)) };
    return null;
  };
}
