import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import { type DatasetPath, refreshDataset } from '../data/index.ts';
import type { TextContent } from '../examples/index.ts';
import type { ProjectPath } from '../projects/index.ts';
import type { CallsSearch, SavedCallDetail } from './saved-calls-queries.ts';

/** `onDone` is called even if the row is unmounted by then. */
export function useDeleteCall({ owner, project }: ProjectPath, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (id: string) =>
      call('DELETE /api/v1/projects/{owner}/{project}/saved-calls/{request_id}', {
        path: { owner, project, request_id: id },
      }),
    onSuccess: () => {
      onDone();
      void queryClient.invalidateQueries({ queryKey: ['saved-calls', owner, project] });
    },
  });
}

/** Deletes the calls that match a filter; without one, all. */
export function useDeleteCalls({ owner, project }: ProjectPath, onDone: (deleted: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (filter: CallsSearch) =>
      call('DELETE /api/v1/projects/{owner}/{project}/saved-calls', {
        path: { owner, project },
        query: filter.q || filter.model ? filter : { all: true },
      }),
    onSuccess: ({ deleted }) => {
      onDone(deleted);
      void queryClient.invalidateQueries({ queryKey: ['saved-calls', owner, project] });
    },
  });
}

export function contentOf({ messages, tools, answer }: SavedCallDetail): TextContent {
  // as: calls are stored as chat completions, like examples.
  const all = [...messages, { role: 'assistant', ...answer }] as TextContent['messages'];
  return { messages: all, tools: tools.length > 0 ? tools : null };
}

const convertRoute = 'POST /api/v1/projects/{owner}/{project}/saved-calls/convert';
export type Converted = ResponseOf<typeof convertRoute>;

export function useKeepAsExample({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, dataset }: { id: string; dataset: string }) => {
      const body = { dataset_id: dataset, ids: [id] };
      const { results } = await call(convertRoute, { path: { owner, project }, body });
      return results[0];
    },
    onSuccess: (_, { dataset }) => refreshExamples(queryClient, { owner, project, dataset }),
  });
}

export const convertTrialQuery = ({ owner, project }: ProjectPath, filter: CallsSearch, dataset: string) =>
  queryOptions({
    queryKey: ['convert-trial', owner, project, dataset, filter],
    queryFn: ({ signal }) =>
      call(convertRoute, {
        path: { owner, project },
        body: { dataset_id: dataset, filter: filterOf(filter), dry_run: true },
        signal,
      }),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

/** Repeats until nothing remains; `onProgress` gets the number of converted calls. */
export function useConvertAll({ owner, project }: ProjectPath, onProgress: (converted: number) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ filter, dataset, testRatio }: { filter: CallsSearch; dataset: string; testRatio: number }) => {
      let converted = 0;
      for (let after: string | null = null; ; ) {
        const body = {
          dataset_id: dataset,
          filter: filterOf(filter),
          test_ratio: testRatio,
          ...(after !== null && { after }),
        };
        const part: Converted = await call(convertRoute, { path: { owner, project }, body });
        converted += part.converted;
        onProgress(converted);
        if (part.resume_after === null) return converted;
        after = part.resume_after;
      }
    },
    onSettled: (_data, _error, { dataset }) => refreshExamples(queryClient, { owner, project, dataset }),
  });
}

const filterOf = ({ q, model }: CallsSearch) => ({ ...(q && { q }), ...(model && { model }) });

function refreshExamples(queryClient: QueryClient, at: DatasetPath): void {
  refreshDataset(queryClient, at);
  void queryClient.invalidateQueries({ queryKey: ['examples', at.dataset] });
}
