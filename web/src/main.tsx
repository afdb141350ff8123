import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { forgetEarlyAnswers } from './api/early-answers.ts';
import { keepDrafts } from './api/keep-drafts.ts';
import { isNobodySignedIn } from './api/page-settings.ts';
import { isProblem } from './api/problem.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { App } from './app/app.tsx';
import { router } from './app/router.ts';
import { applyStyleSheet } from './app/style-sheet.ts';
import { warmFormats } from './i18n/format.ts';
import { languageOfPage } from './i18n/language.tsx';
import { keepFocusOfBusyButtons } from './ui/keep-focus.ts';
import './ui/mantine.css';
import './ui/base.css';

keepDrafts(queryClient);
keepFocusOfBusyButtons();

// Who is signed in decides what is shown: asked while everything else is still being set up.
if (isNobodySignedIn()) queryClient.setQueryData(sessionQuery.queryKey, null);
else void queryClient.prefetchQuery(sessionQuery);

/** A failure that the page tells of, with what to do, is no bug; anything else belongs into the console. */
function onCaughtError(error: unknown): void {
  if (!isProblem(error)) console.error(error);
}

/** Answers that take longer come into a page that stands already. */
const patienceMs = 200;

/** Until everything that the page has asked for is there. */
function answersAtHand(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if (queryClient.isFetching() > 0) return;
      leave();
      resolve();
    };
    const leave = queryClient.getQueryCache().subscribe(look);
    setTimeout(() => {
      leave();
      resolve();
    }, patienceMs);
    look();
  });
}

/** Lets the browser do what waits: the start in one piece would keep it from everything else. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** The page shows the skeleton of the frame already: what takes its place comes whole, and in pieces that let others through. */
async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no root. This is a bug.');
  const styles = applyStyleSheet();
  await pause();
  const route = router.load();
  await pause();
  warmFormats(languageOfPage());
  await Promise.all([styles, route]);
  await answersAtHand();
  forgetEarlyAnswers();
  startTransition(() =>
    createRoot(root, { onCaughtError }).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}

void start();
