import { StrictMode, startTransition } from 'react';
import { createRoot } from 'react-dom/client';
import { discardEarlyResponses } from './api/early-responses.ts';
import { isNobodySignedIn } from './api/page-settings.ts';
import { persistDrafts } from './api/persist-drafts.ts';
import { isProblem } from './api/problem.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { App } from './app/app.tsx';
import { router } from './app/router.ts';
import { applyStyleSheet } from './app/style-sheet.ts';
import { warmFormats } from './i18n/format.ts';
import { languageOfPage } from './i18n/language.tsx';
import { restoreFocusOfBusyButtons } from './ui/restore-focus.ts';
import './ui/mantine.css';
import './ui/base.css';

// The polyfill must be there before anything is read; browsers of today do not load it.
if (!('rawJSON' in JSON)) (await import('./api/raw-json.ts')).supplyRawJson();
persistDrafts(queryClient);
restoreFocusOfBusyButtons();

// The first request of the app, sent while everything else is still being set up.
if (isNobodySignedIn()) queryClient.setQueryData(sessionQuery.queryKey, null);
else void queryClient.prefetchQuery(sessionQuery);

/** Problems are shown by the page; everything else is a bug and belongs in the console. */
function onCaughtError(error: unknown): void {
  if (!isProblem(error)) console.error(error);
}

/** The first render waits for responses at most this long. */
const maxWaitMs = 200;

/** Resolves when no request of the page is in flight. */
function requestsSettled(): Promise<void> {
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
    }, maxWaitMs);
    look();
  });
}

/** Splits the start into tasks, so that it does not block the browser. */
const pause = () => new Promise<void>((resolve) => setTimeout(resolve));

/** The page shows a skeleton; it is replaced in one render. */
async function start(): Promise<void> {
  const root = document.getElementById('root');
  if (!root) throw new Error('The page has no root. This is a bug.');
  const styles = applyStyleSheet();
  await pause();
  const route = router.load();
  await pause();
  warmFormats(languageOfPage());
  await Promise.all([styles, route]);
  await requestsSettled();
  discardEarlyResponses();
  startTransition(() =>
    createRoot(root, { onCaughtError }).render(
      <StrictMode>
        <App />
      </StrictMode>,
    ),
  );
}

void start();
