import { Button } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { isProblem } from '../api/problem.ts';
import { useTexts } from '../i18n/catalogue.ts';
import { Page } from '../ui/page.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import styles from './alone.module.css';
import { appTexts } from './app-texts.ts';

/** A page that could not be shown: its data did not come, its code did not come, or it has a bug. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  const t = useTexts(appTexts);
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <div className={styles.alone}>
      <Page title={t.brokenTitle} lead={isOutdated(error) ? t.outdated : undefined}>
        {isProblem(error) ? (
          <ProblemNote error={error} onRetry={retry} />
        ) : (
          <Button onClick={() => location.reload()}>{t.reload}</Button>
        )}
      </Page>
    </div>
  );
}

/** Browsers say it in their own ways when a file of an earlier build is gone. */
function isOutdated(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed/i.test(error.message);
}
