import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { isProblem } from './api/problem.ts';
import { queryClient } from './api/query-client.ts';
import { sessionQuery } from './api/session.ts';
import { App } from './app/app.tsx';
import { isNobodySignedIn } from './app/page-settings.ts';
import './ui/mantine.css';
import './ui/tokens.css';
import './ui/base.css';

// Who is signed in decides what is shown: asked while everything else is still being set up.
if (isNobodySignedIn()) queryClient.setQueryData(sessionQuery.queryKey, null);
else void queryClient.prefetchQuery(sessionQuery);

/** A failure that the page tells of, with what to do, is no bug; anything else belongs into the console. */
function onCaughtError(error: unknown): void {
  if (!isProblem(error)) console.error(error);
}

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root. This is a bug.');
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
