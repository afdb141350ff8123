import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes } from '../../api/generated/contract.ts';
import { type DatasetPath, pathOf, refreshDataset } from '../data/index.ts';
import type { Split } from './example.ts';
import type { ExamplesSearch } from './examples-queries.ts';

const bulkRoute = 'POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/bulk';
/** Of one request. */
const maxIds = 1_000;

/** Chosen by hand, or all that match. */
export type Chosen = { ids: readonly string[] } | { filter: ExamplesSearch };
export type BulkAction = { action: 'move'; split: Split } | { action: 'delete' };

/** Gives the ids of all examples that were changed; `onProgress` gets their number so far. */
export function useBulkChange(at: DatasetPath, onProgress: (done: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ action, chosen }: { action: BulkAction; chosen: Chosen }) => {
      const changed: string[] = [];
      for (const body of bodiesOf(action, chosen)) {
        const { ids, remaining } = await call(bulkRoute, { path: pathOf(at), body });
        changed.push(...ids);
        onProgress(changed.length);
        if ('filter' in chosen && (remaining === 0 || ids.length === 0)) break;
      }
      return changed;
    },
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['examples', at.dataset, null] });
      refreshDataset(queryClient, at);
    },
  });
}

function* bodiesOf(action: BulkAction, chosen: Chosen): Generator<Routes[typeof bulkRoute]['body']> {
  if ('ids' in chosen)
    for (let from = 0; from < chosen.ids.length; from += maxIds)
      yield { ...action, ids: chosen.ids.slice(from, from + maxIds) };
  else {
    const { q, split, origin, valid } = chosen.filter;
    const filter = {
      ...(q !== undefined && { q }),
      ...(split && { split }),
      ...(origin && { origin }),
      ...(valid !== undefined && { valid }),
    };
    for (;;) yield { ...action, filter };
  }
}
