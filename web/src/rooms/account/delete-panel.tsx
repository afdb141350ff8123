import { Alert, Button, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { notify } from '../../ui/notify.tsx';
import { Panel } from '../../ui/panel.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { useAccount, useDeleteAccount } from './account-queries.ts';
import { accountTexts } from './account-texts.ts';
import { deleteTexts } from './delete-texts.ts';

export function DeletePanel() {
  const t = useTexts(deleteTexts);
  const [isConfirming, setConfirming] = useState(false);
  return (
    <Panel title={t.title} text={t.text} tone="danger">
      <Button variant="outline" color="rust" onClick={() => setConfirming(true)}>
        {t.action}
      </Button>
      <DeleteDialog isOpen={isConfirming} onClose={() => setConfirming(false)} />
    </Panel>
  );
}

function DeleteDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTexts(deleteTexts);
  const format = useFormat();
  const { slug, email, auth, credits } = useAccount();
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const [isMissing, setMissing] = useState(false);
  const remove = useDeleteAccount(async () => {
    notify({ tone: 'good', text: t.done });
    await navigate({ to: '/sign-in', replace: true });
  });
  const passwordError = usePasswordError(remove.error);
  const isLastOperator =
    isProblem(remove.error, 'state_conflict') && remove.error.details?.['reason'] === 'last_operator';
  const close = () => {
    setPassword('');
    setMissing(false);
    remove.reset();
    onClose();
  };
  const confirm = () => {
    const isEmpty = auth.has_password && password === '';
    setMissing(isEmpty);
    if (!isEmpty) remove.mutate(auth.has_password ? { password } : { confirmation: slug });
  };
  return (
    <Confirm
      isOpen={isOpen}
      onClose={close}
      title={t.confirm}
      action={t.action}
      typed={{ label: t.typed(slug), value: slug }}
      isBusy={remove.isPending}
      error={passwordError === null && !isLastOperator ? remove.error : null}
      onConfirm={confirm}
    >
      <Stack gap="xs">
        <Text>{t.goes}</Text>
        <ul>
          <li>{t.access}</li>
          <li>{t.projects}</li>
          <li>{t.shares}</li>
          <li>{t.person}</li>
          <li>{t.credits(format.credits(credits.available))}</li>
        </ul>
        <Text>{t.stays}</Text>
        {/* Password managers need the user name. */}
        {auth.has_password ? <input type="text" autoComplete="username" value={email ?? slug} readOnly hidden /> : null}
        {auth.has_password ? (
          <PasswordField
            label={t.password}
            autoComplete="current-password"
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={isMissing ? t.passwordMissing : passwordError}
          />
        ) : null}
        {isLastOperator ? (
          <Alert color="rust" role="alert">
            {t.lastOperator}
          </Alert>
        ) : null}
      </Stack>
    </Confirm>
  );
}

/** What is to be shown at the field; null: the error is about something else. */
function usePasswordError(error: unknown): string | null {
  const t = useTexts(deleteTexts);
  const waiting = useTexts(accountTexts);
  const format = useFormat();
  if (isProblem(error, 'invalid_password')) return t.passwordWrong;
  if (isProblem(error, 'rate_limited') && error.retryAfterS !== null)
    return waiting.wait(format.wait(error.retryAfterS));
  return null;
}
