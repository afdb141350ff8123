import { queryOptions } from '@tanstack/react-query';
import { checkConnection, reportAnswer } from './connection.ts';
import { fetchWithEarlyResponse } from './early-responses.ts';
import type { Schemas } from './generated/contract.ts';
import { basePath } from './page-settings.ts';
import { lostConnection, problemOf, readBody } from './problem.ts';
import { draftsKey, endedKey, queryClient } from './query-client.ts';

export type SignedIn = Schemas['SignedIn'];

/** Null: nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: 5 * 60_000,
});

async function readSession(): Promise<SignedIn | null> {
  const address = `${basePath()}/api/v1/auth/session`;
  const response = await fetchWithEarlyResponse(address, { credentials: 'same-origin' }).catch(() => {
    checkConnection();
    throw lostConnection();
  });
  reportAnswer();
  if (response.status === 401) {
    if (queryClient.getQueryData(['session'])) queryClient.setQueryData(endedKey, true);
    return null;
  }
  if (!response.ok) throw await problemOf(response);
  // as: the contract says so.
  return (await readBody(response.json())) as SignedIn;
}

/** Protects against cross-site requests. */
export function csrfToken(): string {
  return queryClient.getQueryData(sessionQuery.queryKey)?.csrf_token ?? '';
}

/** Reads the session again. If another account is signed in now, the page reloads. */
export async function renewSession(): Promise<void> {
  const before = queryClient.getQueryData(sessionQuery.queryKey);
  const now = await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  if (!before || now?.account.id === before.account.id) return;
  clearAllBut(now?.account.id ?? null);
  location.reload();
}

/** Whether the session ended without signing out. */
export const hasEnded = (): boolean => queryClient.getQueryData(endedKey) === true;

/** Signs out in this page: nothing of the account stays in memory. */
export function clearAccount(): void {
  clearAllBut(null);
  void import('./recent-projects.ts').then((late) => late.forgetRecentProjects(), console.error);
  queryClient.setQueryData(sessionQuery.queryKey, null);
}

export function setAccount(signedIn: SignedIn): void {
  clearAllBut(signedIn.account.id);
  queryClient.setQueryData(sessionQuery.queryKey, signedIn);
}

/** Drafts belong to the account that wrote them. */
function clearAllBut(account: string | null): void {
  queryClient.removeQueries({ queryKey: endedKey });
  queryClient.removeQueries({
    predicate: ({ queryKey: [first, whose] }) =>
      first !== sessionQuery.queryKey[0] && !(first === draftsKey[0] && account !== null && whose === account),
  });
}
