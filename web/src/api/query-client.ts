import { MutationCache, QueryCache, QueryClient, replaceEqualDeep } from '@tanstack/react-query';
import { holdsExact } from './exact-json.ts';
import { isProblem } from './problem.ts';

const sessionKey = ['session'];
/** Set when a session ended without signing out. */
export const endedKey = ['session', 'ended'];
export const draftsKey = ['draft'];

/** Any request may be the one that shows that the session has ended. */
function onError(error: unknown): void {
  if (!isProblem(error, 'invalid_credentials') || error.status !== 401 || !queryClient.getQueryData(sessionKey)) return;
  queryClient.setQueryData(endedKey, true);
  queryClient.setQueryData(sessionKey, null);
}

/** Only failures that may pass are retried. Mutations are never sent twice automatically. */
function isRetryable(count: number, error: unknown): boolean {
  return count < 2 && isProblem(error) && (error.status === 0 || error.status === 503);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: isRetryable,
      throwOnError: false,
      networkMode: 'always',
      // Structural sharing copies data, and a copy would lose exact numbers and the order of keys.
      structuralSharing: (before, now) => (holdsExact(now) ? now : replaceEqualDeep(before, now)),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});
// Drafts stay while the page is open.
queryClient.setQueryDefaults(draftsKey, { gcTime: Number.POSITIVE_INFINITY });
