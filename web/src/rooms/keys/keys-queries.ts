import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { isLimited, type LimitsBody } from './limits-form.ts';

export type Key = Schemas['Key'];

export const keysQuery = listQuery(['keys'], 'GET /api/v1/keys', { query: { limit: 50 } });

export const keyLimitsQuery = (keyId: string) =>
  routeQuery(['key-limits', keyId], 'GET /api/v1/keys/{key_id}/limits', { path: { key_id: keyId } });

export const keyCallsQuery = (keyId: string) =>
  routeQuery(['key-calls', keyId], 'GET /api/v1/credits/usage', { query: { key_id: keyId, limit: 20 } });

/** Not optimistic: whoever revokes a key must know that the server did it. */
export function useSetKeyActive() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ key, active }: { key: Key; active: boolean }) =>
      active
        ? call('PATCH /api/v1/keys/{key_id}/activate', { path: { key_id: key.id } })
        : call('PATCH /api/v1/keys/{key_id}/deactivate', { path: { key_id: key.id } }),
    onSuccess: (changed) => {
      changeRows(queryClient, (rows) => rows.map((row) => (row.id === changed.id ? changed : row)));
      refreshOverview(queryClient);
    },
  });
}

/** `onDone` is called even if the row is unmounted by then. */
export function useDeleteKey(onDone: (key: Key) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (key: Key) => call('DELETE /api/v1/keys/{key_id}', { path: { key_id: key.id } }),
    onSuccess: (_, key) => {
      onDone(key);
      changeRows(queryClient, (rows) => rows.filter((row) => row.id !== key.id));
      void queryClient.invalidateQueries(keysQuery);
      refreshOverview(queryClient);
    },
  });
}

export type NewKeyBody = Routes['POST /api/v1/keys']['body'];

export function useCreateKey() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewKeyBody; idempotencyKey: string }) =>
      call('POST /api/v1/keys', { body, idempotencyKey }),
    onSuccess: () => {
      void queryClient.invalidateQueries(keysQuery);
      refreshOverview(queryClient);
    },
    // The response contains the secret key: it is removed from memory as soon as it is no longer shown.
    gcTime: 0,
  });
}

export function useChangeKeyLimits(keyId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: LimitsBody) => call('PATCH /api/v1/keys/{key_id}/limits', { path: { key_id: keyId }, body }),
    onSuccess: (limits) => {
      queryClient.setQueryData(keyLimitsQuery(keyId).queryKey, limits);
      const shown = isLimited(limits) ? limits : null;
      changeRows(queryClient, (rows) => rows.map((row) => (row.id === keyId ? { ...row, limits: shown } : row)));
    },
  });
}

function changeRows(queryClient: QueryClient, change: (rows: Key[]) => Key[]): void {
  queryClient.setQueryData(keysQuery.queryKey, (data) =>
    data ? { ...data, pages: data.pages.map((page) => ({ ...page, data: change(page.data) })) } : data,
  );
}

function refreshOverview(queryClient: QueryClient): void {
  void queryClient.invalidateQueries({ queryKey: ['dashboard'] });
  void queryClient.invalidateQueries({ queryKey: ['activity'] });
}
