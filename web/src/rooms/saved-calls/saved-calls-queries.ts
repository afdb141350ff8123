import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { textIn } from '../../routing/search-text.ts';
import type { ProjectPath } from '../projects/index.ts';

export type SavedCall = Schemas['SavedCall'];
export type SavedCallDetail = Schemas['SavedCallDetail'];
/** `id`: the call that is shown. */
export type CallsSearch = { q?: string | undefined; model?: string | undefined; id?: string | undefined };

export function readCallsSearch({ q, model, id }: Record<string, unknown>): CallsSearch {
  return { q: textIn(q), model: textIn(model), id: textIn(id, 64) };
}

export const savedCallsQuery = ({ owner, project }: ProjectPath, { id: _, ...filter }: CallsSearch) =>
  listQuery(['saved-calls', owner, project, filter], 'GET /api/v1/projects/{owner}/{project}/saved-calls', {
    path: { owner, project },
    query: { ...filter, limit: 100 },
  });

export const savedCallQuery = ({ owner, project }: ProjectPath, id: string) => ({
  ...routeQuery(['saved-call', id], 'GET /api/v1/projects/{owner}/{project}/saved-calls/{request_id}', {
    path: { owner, project, request_id: id },
  }),
  staleTime: Number.POSITIVE_INFINITY,
});
