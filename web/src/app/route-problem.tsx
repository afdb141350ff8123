import { Button } from '@mantine/core';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { isServerThere } from '../api/connection.ts';
import { isProblem, lostConnection } from '../api/problem.ts';
import { useTexts } from '../i18n/catalogue.ts';
import { Page } from '../ui/page.tsx';
import { ProblemNote } from '../ui/problem-note.tsx';
import styles from './alone.module.css';
import { appTexts } from './app-texts.ts';

/** Used where the layout could not be rendered either. */
export function RouteProblem(props: ErrorComponentProps) {
  return (
    <main className={styles.alone}>
      <PageProblem {...props} />
    </main>
  );
}

/** A page that failed: its data or its code could not be loaded, or it has a bug. */
export function PageProblem({ error, reset }: Pick<ErrorComponentProps, 'error' | 'reset'>) {
  const t = useTexts(appTexts);
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (isProblem(error, 'missing_file')) return <Missing />;
  return (
    <Page title={t.brokenTitle}>{isProblem(error) ? <ProblemNote error={error} onRetry={retry} /> : <Reload />}</Page>
  );
}

function Reload() {
  const t = useTexts(appTexts);
  return <Button onClick={() => location.reload()}>{t.reload}</Button>;
}

/** A reload gets the files of a newer build. While the server is unavailable it would show the browser's error page. */
function Missing() {
  const t = useTexts(appTexts);
  const [isThere, setThere] = useState(false);
  const look = () =>
    void isServerThere().then((isIt) => {
      if (isIt && isFirstTime()) location.reload();
      setThere(isIt);
    });
  useEffect(look, []);
  return (
    <Page title={t.brokenTitle} lead={isThere ? t.outdated : undefined}>
      {isThere ? <Reload /> : <ProblemNote error={lostConnection()} onRetry={look} />}
    </Page>
  );
}

/** Prevents a reload loop. */
function isFirstTime(): boolean {
  const key = 'fanfold.loaded-anew';
  const isFirst = sessionStorage.getItem(key) !== location.href;
  sessionStorage.setItem(key, location.href);
  return isFirst;
}
