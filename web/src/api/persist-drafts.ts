import type { QueryClient } from '@tanstack/react-query';
import { parseExactJson } from './exact-json.ts';
import { draftsKey } from './query-client.ts';

const storageKey = 'fanfold.drafts';

/** Drafts survive a reload: the tab stores them meanwhile. */
export function persistDrafts(queryClient: QueryClient): void {
  for (const [key, value] of readKept()) queryClient.setQueryData(key, value);
  addEventListener('pagehide', () => {
    const drafts = queryClient.getQueriesData({ queryKey: draftsKey });
    if (drafts.length > 0) sessionStorage.setItem(storageKey, JSON.stringify(drafts));
    else sessionStorage.removeItem(storageKey);
  });
}

function readKept(): ReturnType<QueryClient['getQueriesData']> {
  const text = sessionStorage.getItem(storageKey);
  // A duplicated tab starts without drafts.
  sessionStorage.removeItem(storageKey);
  // as: it was written here.
  return text === null ? [] : (parseExactJson(text) as ReturnType<QueryClient['getQueriesData']>);
}
