import { useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { routeQuery } from '../../api/queries.ts';
import { clearAccount, sessionQuery } from '../../api/session.ts';

export type Account = Schemas['Account'];

/** Only for pages that need an account. */
export function useAccount(): Account {
  const { data: session } = useSuspenseQuery(sessionQuery);
  if (session === null) throw new Error('A page of an account is shown without one. This is a bug.');
  return session.account;
}

export function useChangeProfile() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Routes['PATCH /api/v1/me/profile']['body']) => call('PATCH /api/v1/me/profile', { body }),
    onSuccess: (account) => {
      queryClient.setQueryData(sessionQuery.queryKey, (session) => session && { ...session, account });
      void queryClient.invalidateQueries({ queryKey: ['activity'] });
    },
  });
}

export function useChangePassword() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Routes['POST /api/v1/me/password']['body']) => call('POST /api/v1/me/password', { body }),
    onSuccess: () => {
      void queryClient.invalidateQueries(sessionsQuery);
      void queryClient.invalidateQueries({ queryKey: ['activity'] });
    },
  });
}

export const sessionsQuery = routeQuery(['sessions'], 'GET /api/v1/auth/sessions', {});

export type AccountSession = Routes['GET /api/v1/auth/sessions']['response']['data'][number];

export function useEndSession() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => call('DELETE /api/v1/auth/sessions/{session_id}', { path: { session_id: id } }),
    // Also when it had ended already.
    onSettled: () => {
      void queryClient.invalidateQueries(sessionsQuery);
      void queryClient.invalidateQueries({ queryKey: ['activity'] });
    },
  });
}

export function useEndSessions() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (keepsCurrent: boolean) =>
      call('POST /api/v1/auth/sign-out/everywhere', { body: { keep_current: keepsCurrent } }),
    onSuccess: (_, keepsCurrent) => {
      if (!keepsCurrent) clearAccount();
      else {
        void queryClient.invalidateQueries(sessionsQuery);
        void queryClient.invalidateQueries({ queryKey: ['activity'] });
      }
    },
  });
}

/** `onDone` is called when nothing of the account is left in the page. */
export function useDeleteAccount(onDone: () => Promise<void>) {
  return useMutation({
    mutationFn: (body: Routes['POST /api/v1/account/delete']['body']) => call('POST /api/v1/account/delete', { body }),
    onSuccess: async () => {
      clearAccount();
      await onDone();
    },
  });
}
