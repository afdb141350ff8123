import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { isProblem } from './problem.ts';

const sessionKey = ['session'];
/** Set when a session has ended by itself. */
export const endedKey = ['session', 'ended'];
export const draftsKey = ['draft'];

/** A session ends on the server: the next request tells, whichever it is. */
function onError(error: unknown): void {
  if (!isProblem(error, 'invalid_credentials') || error.status !== 401 || !queryClient.getQueryData(sessionKey)) return;
  queryClient.setQueryData(endedKey, true);
  queryClient.setQueryData(sessionKey, null);
}

/** Only what may be over in a moment; a change is never sent twice behind somebody's back. */
function mayPass(count: number, error: unknown): boolean {
  return count < 2 && isProblem(error) && (error.status === 0 || error.status === 503);
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: { staleTime: 10_000, retry: mayPass, throwOnError: false, networkMode: 'always' },
    mutations: { retry: false, networkMode: 'always' },
  },
});
// What was written waits for as long as the page is open.
queryClient.setQueryDefaults(draftsKey, { gcTime: Number.POSITIVE_INFINITY });
