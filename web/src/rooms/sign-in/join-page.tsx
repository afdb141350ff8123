import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseOf } from '../../api/call.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { sharedTexts } from '../../i18n/shared-texts.ts';
import { focusInvalidField } from '../../ui/focus-invalid-field.ts';
import { newPasswordTexts, useWeakPassword } from '../../ui/new-password.ts';
import { PasswordField } from '../../ui/password-field.tsx';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { TextLink } from '../../ui/text-link.tsx';
import { isEmail } from './is-email.ts';
import { joinTexts } from './join-texts.ts';
import { SignInLayout } from './sign-in-layout.tsx';
import styles from './sign-in-page.module.css';
import { EntryProblem } from './sign-in-problem.tsx';
import { invitationQuery, useJoin } from './sign-in-queries.ts';
import { signInTexts } from './sign-in-texts.ts';

type Invitation = ResponseOf<'POST /api/v1/auth/invitation'>;

/** What the link of an invitation opens, and the one that the server prints at its first start. */
export function JoinPage() {
  const t = useTexts(joinTexts);
  const entry = useTexts(signInTexts);
  const [token] = useState(() => location.hash.slice(1));
  const { data: invitation, error } = useQuery(invitationQuery(token));
  const isStart = invitation?.kind === 'start';
  return (
    <SignInLayout title={isStart ? t.startTitle : t.joinTitle}>
      <Stack gap="md">
        {error && <ProblemNote error={error} />}
        {error && <Text>{t.invalid}</Text>}
        {invitation && <Text>{isStart ? t.startText : t.joinText}</Text>}
        {invitation && <JoinForm token={token} invitation={invitation} />}
        <p className={styles.elsewhere}>
          {entry.toSignIn} <TextLink to="/sign-in">{entry.signInTitle}</TextLink>
        </p>
      </Stack>
    </SignInLayout>
  );
}

const minLength = 12;

function JoinForm({ token, invitation }: { token: string; invitation: Invitation }) {
  const t = useTexts(joinTexts);
  const entry = useTexts(signInTexts);
  const shared = useTexts(sharedTexts);
  const passwordTexts = useTexts(newPasswordTexts);
  const weakness = useWeakPassword();
  const join = useJoin();
  const isStart = invitation.kind === 'start';
  const form = useForm({
    initialValues: { display_name: '', email: invitation.email ?? '', password: '' },
    validate: {
      email: (text) => (isEmail(text) ? null : entry.emailWrong),
      password: (text) => (text.length < minLength ? passwordTexts.rules.min_length : null),
    },
  });
  const submit = form.onSubmit(({ display_name, email, password }) => {
    const name = display_name.trim();
    join.mutate(
      { token, email: email.trim(), password, ...(name ? { display_name: name } : {}) },
      { onError: (error) => form.setFieldError('password', weakness(error)) },
    );
  }, focusInvalidField);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {!isStart && (
          <TextInput
            label={`${entry.displayName} (${shared.optional})`}
            autoComplete="name"
            maxLength={80}
            {...form.getInputProps('display_name')}
          />
        )}
        <TextInput
          label={entry.email}
          type="email"
          autoComplete="username"
          readOnly={invitation.email !== null}
          autoFocus={invitation.email === null}
          {...form.getInputProps('email')}
        />
        <PasswordField
          label={entry.password}
          description={passwordTexts.hint(String(minLength))}
          autoComplete="new-password"
          {...form.getInputProps('password')}
        />
        {join.error && weakness(join.error) === null && <EntryProblem error={join.error} />}
        <Button type="submit" fullWidth size="md" loading={join.isPending}>
          {isStart ? t.start : t.join}
        </Button>
      </Stack>
    </form>
  );
}
