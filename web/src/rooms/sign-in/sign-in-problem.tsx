import { Alert } from '@mantine/core';
import type { ReactNode } from 'react';
import { isProblem } from '../../api/problem.ts';
import { useTexts } from '../../i18n/catalogue.ts';
import { useFormat } from '../../i18n/format.ts';
import { ProblemNote } from '../../ui/problem-note.tsx';
import { signInTexts } from './sign-in-texts.ts';

export function EntryProblem({ error }: { error: unknown }) {
  const t = useTexts(signInTexts);
  const format = useFormat();
  if (isProblem(error, 'invalid_credentials')) return <Refusal>{t.wrong}</Refusal>;
  if (isProblem(error, 'rate_limited') && error.retryAfterS !== null)
    return <Refusal>{t.wait(format.wait(error.retryAfterS))}</Refusal>;
  return <ProblemNote error={error} />;
}

export function Refusal({ children }: { children: ReactNode }) {
  return (
    <Alert color="rust" role="alert">
      {children}
    </Alert>
  );
}
