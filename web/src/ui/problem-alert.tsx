import { Alert, Button, Code } from '@mantine/core';
import { Fragment } from 'react';
import { isProblem } from '../api/problem.ts';
import { useTexts } from '../i18n/catalogue.ts';
import { useProblemText } from '../i18n/problem-texts.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconAlertCircle } from './icons.tsx';
import styles from './problem-alert.module.css';
import { TextLink } from './text-link.tsx';

export type ProblemNoteProps = { error: unknown; onRetry?: (() => void) | undefined };

/** What failed, what to do next, the code to look up, and the request id for the operator. */
export function ProblemAlert({ error, onRetry }: ProblemNoteProps) {
  const t = useTexts(sharedTexts);
  const { what, next } = useProblemText()(error);
  return (
    <Alert color="rust" icon={<IconAlertCircle />} title={what} role="alert">
      <span>{next}</span>
      <ProblemFacts error={error} />
      {onRetry && (
        <Button variant="default" size="xs" mt="xs" display="block" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </Alert>
  );
}

/** The code and the request id. A call of a model links to its request. */
export function ProblemFacts({ error }: { error: unknown }) {
  const t = useTexts(sharedTexts);
  if (!isProblem(error)) return null;
  const { code, requestId, isCall } = error;
  return (
    <>
      {[code, requestId].map(
        (fact) =>
          fact !== null && (
            <Fragment key={fact}>
              {' '}
              <Code className={styles.id}>{fact}</Code>
            </Fragment>
          ),
      )}
      {isCall && requestId !== null && (
        <>
          {' '}
          <TextLink to="/requests" search={{ id: requestId }}>
            {t.findRequest}
          </TextLink>
        </>
      )}
    </>
  );
}
