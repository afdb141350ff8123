import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { newPasswordTexts, useWeakPassword } from '../../ui/new-password.ts';
import { PasswordField } from '../../ui/password-field.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { isEmail } from './is-email.ts';
import { ProviderButton, ProviderFirst } from './provider-button.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import styles from './sign-in-page.module.css';
import { EntryProblem } from './sign-in-problem.tsx';
import { signInOptionsQuery, useSignUp } from './sign-in-queries.ts';
import { signInTexts } from './sign-in-texts.ts';

type Options = ResponseOf<'GET /api/v1/auth/options'>;

const route = getRouteApi('/sign-up');

export function SignUpPage() {
  const t = useTexts(signInTexts);
  const { next } = route.useSearch();
  const { data: options, error, refetch } = useQuery(signInOptionsQuery);
  const isOpen = options?.sign_up === 'open';
  return (
    <SignInLayout title={options && !isOpen ? t.closedTitle : t.signUpTitle}>
      <Stack gap="md">
        {error && <ProblemNote error={error} onRetry={() => void refetch()} />}
        {options && !isOpen && <Closed options={options} next={next} />}
        {options?.oidc && isOpen && <ProviderFirst name={options.oidc.name} next={next} />}
        {options && isOpen && <AccountForm options={options} next={next} />}
        <p className={styles.elsewhere}>
          {t.toSignIn}{' '}
          <TextLink to="/sign-in" search={{ next }}>
            {t.signInTitle}
          </TextLink>
        </p>
      </Stack>
    </SignInLayout>
  );
}

type Props = { options: Options; next: string | undefined };

function Closed({ options, next }: Props) {
  const t = useTexts(signInTexts);
  if (options.sign_up !== 'oidc' || !options.oidc) return <Text>{t.closed}</Text>;
  return (
    <>
      <Text>{t.oidcOnly(options.oidc.name)}</Text>
      <ProviderButton name={options.oidc.name} next={next} />
    </>
  );
}

function AccountForm({ options: { password: rule }, next }: Props) {
  const t = useTexts(signInTexts);
  const shared = useTexts(sharedTexts);
  const passwordTexts = useTexts(newPasswordTexts);
  const weakness = useWeakPassword();
  const signUp = useSignUp(next);
  const min = String(rule.min_length);
  const form = useForm({
    initialValues: { display_name: '', email: '', password: '' },
    validate: {
      email: (text) => (isEmail(text) ? null : t.emailWrong),
      password: (text) => (text.length < rule.min_length ? passwordTexts.rules.min_length : null),
    },
  });
  const submit = form.onSubmit(({ display_name, email, password }) => {
    const name = display_name.trim();
    signUp.mutate(
      { email: email.trim(), password, ...(name ? { display_name: name } : {}) },
      { onError: (error) => form.setFieldError('password', weakness(error)) },
    );
  }, focusInvalidField);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={`${t.displayName} (${shared.optional})`}
          autoComplete="name"
          maxLength={80}
          autoFocus
          {...form.getInputProps('display_name')}
        />
        <TextInput label={t.email} type="email" autoComplete="username" {...form.getInputProps('email')} />
        <PasswordField
          label={t.password}
          description={passwordTexts.hint(min)}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {signUp.error && weakness(signUp.error) === null && <EntryProblem error={signUp.error} />}
        <Button type="submit" fullWidth size="md" loading={signUp.isPending}>
          {t.signUp}
        </Button>
      </Stack>
    </form>
  );
}
