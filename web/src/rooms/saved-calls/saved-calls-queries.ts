import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { byCursor } from '../../api/by-cursor.ts';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { textIn } from '../../routing/search-text.ts';
import type { ProjectPath } from '../projects/index.ts';

export type SavedCall = Schemas['SavedCall'];
export type SavedCallDetail = Schemas['SavedCallDetail'];
export type CallsSearch = { q?: string | undefined; model?: string | undefined };

export function readCallsSearch({ q, model }: Record<string, unknown>): CallsSearch {
  return { q: textIn(q), model: textIn(model) };
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
    ...byCursor,
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
