import { Button } from '@mantine/core';
import { lazy, Suspense } from 'react';
import { isProblem } from '../api/problem.ts';
import { useTexts } from '../i18n/catalogue.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import type { ProblemNoteProps } from './problem-alert.tsx';

/** Loaded after the first page, together with the notices. */
const ProblemAlert = lazy(() =>
  import('./problem-alert.tsx').then(
    (late) => ({ default: late.ProblemAlert }),
    () => ({ default: PlainNote }),
  ),
);

/** What failed, what to do next, the code to look up, and the request id for the operator. */
export function ProblemNote(props: ProblemNoteProps) {
  return (
    <Suspense>
      <ProblemAlert {...props} />
    </Suspense>
  );
}

/** Where the rest cannot be loaded. */
function PlainNote({ error, onRetry }: ProblemNoteProps) {
  const { retry } = useTexts(sharedTexts);
  return (
    <div role="alert">
      {isProblem(error) && error.message} {onRetry && <Button onClick={onRetry}>{retry}</Button>}
    </div>
  );
}
