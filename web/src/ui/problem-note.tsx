import { Alert, Button, Code } from '@mantine/core';
import { Fragment } from 'react';
import { isProblem } from '../api/problem.ts';
import { useTexts } from '../i18n/catalogue.ts';
import { useProblemText } from '../i18n/problem-texts.ts';
import { sharedTexts } from '../i18n/shared-texts.ts';
import { IconAlertCircle } from './icons.tsx';
import styles from './problem-note.module.css';

type ProblemNoteProps = { error: unknown; onRetry?: (() => void) | undefined };

/** What failed, what to do next, the code to look up, and the request id for the operator. */
export function ProblemNote({ error, onRetry }: ProblemNoteProps) {
  const t = useTexts(sharedTexts);
  const { what, next } = useProblemText()(error);
  const facts = isProblem(error) ? [error.code, error.requestId].filter((fact) => fact !== null) : [];
  return (
    <Alert color="rust" icon={<IconAlertCircle />} title={what} role="alert">
      {next && <span>{next}</span>}
      {facts.map((fact) => (
        <Fragment key={fact}>
          {' '}
          <Code className={styles.id}>{fact}</Code>
        </Fragment>
      ))}
      {onRetry && (
        <Button variant="default" size="xs" mt={next ? 'xs' : 0} display="block" onClick={onRetry}>
          {t.retry}
        </Button>
      )}
    </Alert>
  );
}
