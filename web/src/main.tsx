import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
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

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root. This is a bug.');
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
