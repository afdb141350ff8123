import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call, newIdempotencyKey, type ResponseOf } from '../../api/call.ts';
import type { Routes } from '../../api/generated/contract.ts';
import { type DatasetPath, refreshDataset } from '../data/index.ts';
import { type IndexPath, indexQuery, pathOf } from './indexes-queries.ts';

const searchRoute = 'POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/search';
const mineRoute = 'POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/mine';
export type Mined = ResponseOf<typeof mineRoute>;
type MiningRule = Pick<Routes[typeof mineRoute]['body'], 'split' | 'max_negatives' | 'max_score_ratio'>;

/** Building an index changes credits, the activity feed, and the uses of its version. */
function useRefresh() {
  const queryClient = useQueryClient();
  return () => {
    for (const room of ['indexes', 'versions', 'dashboard', 'billing', 'activity'])
      void queryClient.invalidateQueries({ queryKey: [room] });
  };
}

type NewIndex = Routes['POST /api/v1/projects/{owner}/{project}/dataset-indexes']['body'];

export function useBuildIndex({ owner, project }: DatasetPath) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewIndex; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/dataset-indexes', {
        path: { owner, project },
        body,
        idempotencyKey,
      }),
    onSuccess: refresh,
  });
}

export function useCancelIndex(at: IndexPath) {
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () =>
      call('POST /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}/cancel', { path: pathOf(at) }),
    onSuccess: (index) => {
      queryClient.setQueryData(indexQuery(at).queryKey, index);
      refresh();
    },
  });
}

/** `onDone` is called even if the calling component is unmounted by then. */
export function useDeleteIndex(at: IndexPath, onDone: () => void) {
  const queryClient = useQueryClient();
  const refresh = useRefresh();
  return useMutation({
    mutationFn: () =>
      call('DELETE /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}', { path: pathOf(at) }),
    onSuccess: () => {
      onDone();
      queryClient.removeQueries({ queryKey: indexQuery(at).queryKey });
      refresh();
    },
  });
}

/** Every search is charged, so each gets a new key. */
export function useSearch(at: IndexPath) {
  return useMutation({
    mutationFn: (query: string) =>
      call(searchRoute, { path: pathOf(at), body: { query, top_k: 10 }, idempotencyKey: newIdempotencyKey() }),
  });
}

/** A dry run over a few examples. */
export function usePreviewMining(at: IndexPath) {
  return useMutation({
    mutationFn: (rule: MiningRule) =>
      call(mineRoute, {
        path: pathOf(at),
        body: { ...rule, dry_run: true, limit: 5 },
        idempotencyKey: newIdempotencyKey(),
      }),
  });
}

export type MiningSoFar = { seen: number; written: number; credits: number };
type MiningRun = { rule: MiningRule; signal: AbortSignal; onProgress: (soFar: MiningSoFar) => void };

/** Processes all examples in batches; those that were written stay when it is canceled. */
export function useMine(at: IndexPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ rule, signal, onProgress }: MiningRun): Promise<MiningSoFar> => {
      let soFar: MiningSoFar = { seen: 0, written: 0, credits: 0 };
      let after: string | null = null;
      do {
        const mined: Mined = await call(mineRoute, {
          path: pathOf(at),
          body: { ...rule, limit: 25, ...(after === null ? {} : { after }) },
          idempotencyKey: newIdempotencyKey(),
        });
        soFar = {
          seen: soFar.seen + mined.results.length,
          written: soFar.written + mined.written,
          credits: soFar.credits + Number(mined.credits),
        };
        onProgress(soFar);
        after = mined.next_after;
      } while (after !== null && !signal.aborted);
      return soFar;
    },
    onSettled: () => {
      refreshDataset(queryClient, at);
      for (const room of ['examples', 'indexes', 'billing']) void queryClient.invalidateQueries({ queryKey: [room] });
    },
  });
}
