import type { Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import type { RequestsSearch } from './requests-search.ts';

export type RequestRecord = Schemas['RequestRecord'];

const hourMs = 3_600_000;

export const requestsQuery = ({ id: _, hours, ...filter }: RequestsSearch) =>
  listQuery(['requests', { hours, ...filter }], 'GET /api/v1/requests', {
    query: {
      ...filter,
      from: hours === undefined ? undefined : new Date(Date.now() - hours * hourMs).toISOString(),
      limit: 50,
    },
  });

export const requestQuery = (id: string) =>
  routeQuery(['request', id], 'GET /api/v1/requests/{request_id}', { path: { request_id: id } });

/** What the project has saved of a request: a list of one or none. */
export const savedCallOf = ({ owner, project, id }: { owner: string; project: string; id: string }) =>
  routeQuery(['saved-calls', owner, project, 'of', id], 'GET /api/v1/projects/{owner}/{project}/saved-calls', {
    path: { owner, project },
    query: { request_id: id, limit: 1 },
  });
