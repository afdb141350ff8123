import type { QueryClient } from '@tanstack/react-query';
import { draftsKey } from './query-client.ts';

const keptUnder = 'fanfold.drafts';

/** What somebody has begun to write is there again when the page is loaded anew: the tab keeps it meanwhile. */
export function keepDrafts(queryClient: QueryClient): void {
  for (const [key, value] of readKept()) queryClient.setQueryData(key, value);
  addEventListener('pagehide', () => {
    const drafts = queryClient.getQueriesData({ queryKey: draftsKey });
    if (drafts.length > 0) sessionStorage.setItem(keptUnder, JSON.stringify(drafts));
    else sessionStorage.removeItem(keptUnder);
  });
}

function readKept(): ReturnType<QueryClient['getQueriesData']> {
  const text = sessionStorage.getItem(keptUnder);
  // Another tab that is made as a copy of this one begins with nothing.
  sessionStorage.removeItem(keptUnder);
  // as: it was written here.
  return text === null ? [] : (JSON.parse(text) as ReturnType<QueryClient['getQueriesData']>);
}
