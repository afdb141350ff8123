import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { byCursor } from '../../api/queries.ts';
import type { DatasetPath } from '../data/index.ts';

export type Index = Schemas['DatasetIndex'];
export type IndexPath = DatasetPath & { index: string };

const buildingPollMs = 1_000;

export const isInProgress = ({ state }: Pick<Index, 'state'>): boolean => state === 'queued' || state === 'building';
export const isSearchable = ({ state }: Pick<Index, 'state'>): boolean => state === 'ready' || state === 'stale';

export const pathOf = ({ owner, project, index }: IndexPath) => ({ owner, project, index_id: index });

export const indexesQuery = (at: DatasetPath) =>
  infiniteQueryOptions({
    queryKey: ['indexes', 'list', at.dataset],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/dataset-indexes', {
        path: { owner: at.owner, project: at.project },
        query: { dataset_id: at.dataset, limit: 50, cursor: pageParam },
        signal,
      }),
    ...byCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isInProgress)) ? buildingPollMs : false,
  });

export const indexQuery = (at: IndexPath) =>
  queryOptions({
    queryKey: ['indexes', 'one', at.index],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/dataset-indexes/{index_id}', { path: pathOf(at), signal }),
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data) ? buildingPollMs : false),
  });
