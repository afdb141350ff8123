import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { refreshDataset } from '../data/datasets-queries.ts';
import type { NewExample, TextContent } from '../examples/examples-queries.ts';
import type { ProjectPath } from '../projects/projects-queries.ts';

export type SavedCall = Schemas['SavedCall'];
export type SavedCallDetail = Schemas['SavedCallDetail'];
export type CallsSearch = { q?: string | undefined; model?: string | undefined };

export function readCallsSearch({ q, model }: Record<string, unknown>): CallsSearch {
  const text = (value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? String(value).slice(0, 200) || undefined : undefined;
  return { q: text(q), model: text(model) };
}

export const savedCallsQuery = ({ owner, project }: ProjectPath, filter: CallsSearch) =>
  infiniteQueryOptions({
    queryKey: ['saved-calls', owner, project, filter],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/saved-calls', {
        path: { owner, project },
        query: { ...filter, limit: 100, cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor,
  });

export const savedCallQuery = ({ owner, project }: ProjectPath, id: string) =>
  queryOptions({
    queryKey: ['saved-call', id],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/saved-calls/{request_id}', {
        path: { owner, project, request_id: id },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** `onDone` is called also when the row is gone by then. */
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

/** Deletes what a filter shows; without one, everything. */
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

/** A saved call as an example: what was asked, and the answer to learn. */
export function exampleOf({ messages, tools, answer }: SavedCallDetail): NewExample {
  // as: calls are kept in the shape of chat completions, which examples have as well; the server checks it again.
  const all = [...messages, { role: 'assistant', ...answer }] as TextContent['messages'];
  return { text: { messages: all, tools: tools.length > 0 ? tools : null } };
}

export function useKeepAsExample({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async ({ saved, dataset }: { saved: SavedCallDetail; dataset: string }) => {
      const { results } = await call('POST /api/v1/projects/{owner}/{project}/datasets/{dataset_id}/examples', {
        path: { owner, project, dataset_id: dataset },
        body: { examples: [exampleOf(saved)] },
      });
      return results[0];
    },
    onSuccess: (_, { dataset }) => {
      refreshDataset(queryClient, { owner, project, dataset });
      void queryClient.invalidateQueries({ queryKey: ['examples', dataset] });
    },
  });
}
