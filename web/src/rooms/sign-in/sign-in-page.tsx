import { Button, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useTexts } from '../../i18n/catalogue.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { PasswordField } from '../../ui/password-field.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { isEmail } from './is-email.ts';
import { ProviderFirst } from './provider-button.tsx';
import { SignInHelp } from './sign-in-help.tsx';
import { SignInLayout } from './sign-in-layout.tsx';
import styles from './sign-in-page.module.css';
import { EntryProblem, Refusal } from './sign-in-problem.tsx';
import { signInOptionsQuery, useSignIn } from './sign-in-queries.ts';
import { signInTexts } from './sign-in-texts.ts';

const route = getRouteApi('/sign-in');

export function SignInPage() {
  const t = useTexts(signInTexts);
  const { error, next } = route.useSearch();
  const { data: options, error: loadError, refetch } = useQuery(signInOptionsQuery);
  return (
    <SignInLayout title={t.signInTitle}>
      <Stack gap="md">
        {error && <ReturnProblem code={error} />}
        {loadError && <ProblemNote error={loadError} onRetry={() => void refetch()} />}
        {options?.oidc && <ProviderFirst name={options.oidc.name} next={next} />}
        <PasswordForm next={next} />
        {options?.sign_up === 'open' ? (
          <p className={styles.elsewhere}>
            {t.toSignUp}{' '}
            <TextLink to="/sign-up" search={{ next }}>
              {t.signUpTitle}
            </TextLink>
          </p>
        ) : null}
        <SignInHelp options={options} />
      </Stack>
    </SignInLayout>
  );
}

/** The identity provider redirected back with an error. */
function ReturnProblem({ code }: { code: string }) {
  const texts: Record<string, string> = useTexts(signInTexts).failures;
  return <Refusal>{texts[code] ?? texts['sign_in_failed']}</Refusal>;
}

function PasswordForm({ next }: { next: string | undefined }) {
  const t = useTexts(signInTexts);
  const signIn = useSignIn(next);
  const form = useForm({
    initialValues: { email: '', password: '' },
    validate: {
      email: (text) => (isEmail(text) ? null : t.emailWrong),
      password: (text) => (text === '' ? t.passwordMissing : null),
    },
  });
  return (
    <form
      onSubmit={form.onSubmit(
        ({ email, password }) => signIn.mutate({ email: email.trim(), password }),
        focusInvalidField,
      )}
      noValidate
    >
      <Stack gap="md">
        <TextInput label={t.email} type="email" autoComplete="username" autoFocus {...form.getInputProps('email')} />
        <PasswordField label={t.password} autoComplete="current-password" {...form.getInputProps('password')} />
        {signIn.error && <EntryProblem error={signIn.error} />}
        <Button type="submit" fullWidth size="md" loading={signIn.isPending}>
          {t.signIn}
        </Button>
      </Stack>
    </form>
  );
}
