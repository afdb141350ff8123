import { type InfiniteData, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import type { Routes } from '../../api/generated/contract.ts';
import { type DatasetPath, pathOf, refreshDataset } from '../data/index.ts';
import type { Example, NewExample } from './example.ts';
import type { examplesListRoute } from './examples-queries.ts';

type Pages = InfiniteData<ResponseOf<typeof examplesListRoute>>;

export function useAddExample(at: DatasetPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ example, idempotencyKey }: { example: NewExample; idempotencyKey: string }) => {
      const { results } = await call('POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples', {
        path: pathOf(at),
        body: { examples: [example] },
        idempotencyKey,
      });
      return results[0];
    },
    onSuccess: (added) => {
      if (added?.status !== 'created') return;
      refreshDataset(queryClient, at);
      void queryClient.invalidateQueries({ queryKey: ['examples', at.dataset] });
    },
  });
}

type ExampleChange =
  Routes['PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}']['body'];

export function useChangeExample(at: DatasetPath, id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ExampleChange) =>
      call('PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}', {
        path: { ...pathOf(at), example_id: id },
        body,
      }),
    onSuccess: (changed) => {
      // It stays in the list even if it no longer matches the filter.
      queryClient.setQueriesData<Pages>({ queryKey: ['examples', at.dataset, null] }, (pages) =>
        changeRows(pages, (rows) => rows.map((row) => (row.id === changed.id ? changed : row))),
      );
      refreshDataset(queryClient, at);
    },
  });
}

/** `onDone` is called even if the row is unmounted by then. */
export function useDeleteExample(at: DatasetPath, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call('DELETE /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples/{example_id}', {
        path: { ...pathOf(at), example_id: id },
      }),
    onSuccess: (_, id) => {
      onDone();
      queryClient.setQueriesData<Pages>({ queryKey: ['examples', at.dataset, null] }, (pages) =>
        changeRows(pages, (rows) => rows.filter((row) => row.id !== id)),
      );
      refreshDataset(queryClient, at);
    },
  });
}

function changeRows(pages: Pages | undefined, change: (rows: Example[]) => Example[]): Pages | undefined {
  if (!pages) return pages;
  const before = pages.pages.reduce((sum, { data }) => sum + data.length, 0);
  const changed = pages.pages.map((page) => ({ ...page, data: change(page.data) }));
  const gone = before - changed.reduce((sum, { data }) => sum + data.length, 0);
  return { ...pages, pages: changed.map((page) => ({ ...page, total_count: page.total_count - gone })) };
}
