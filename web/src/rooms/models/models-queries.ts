import { infiniteQueryOptions, type QueryClient, queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Schemas } from '../../api/generated/contract.ts';
import { byCursor, listQuery, routeQuery } from '../../api/queries.ts';
import type { ModelKind } from '../../ui/kind.tsx';
import { type ProjectPath, warmingPollMs } from '../projects/index.ts';

export type HostedModel = Schemas['HostedModel'];
export type CallableModel = Schemas['CallableModel'];
export type Revision = Schemas['Revision'];
export type Share = Schemas['Share'];
export type State = HostedModel['state'];
export type Visibility = HostedModel['visibility'];
export type TargetName = HostedModel['target'];

export type ModelPath = ProjectPath & { id: string };

const isWarming = (model: { state: State }) => model.state === 'warming';

export const hostedListQuery = ({ owner, project }: ProjectPath) =>
  infiniteQueryOptions({
    queryKey: ['models', 'hosted', owner, project],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/hosted-models', {
        path: { owner, project },
        query: { source: 'alias', limit: 50, cursor: pageParam },
        signal,
      }),
    ...byCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some(isWarming)) ? warmingPollMs : false,
  });

export const hostedModelQuery = ({ owner, project, id }: ModelPath) =>
  queryOptions({
    queryKey: ['models', 'one', owner, project, id],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}', {
        path: { owner, project, hosted_model_id: id },
        signal,
      }),
    refetchInterval: ({ state }) => (state.data && isWarming(state.data) ? warmingPollMs : false),
  });

export const revisionsQuery = ({ owner, project, id }: ModelPath) =>
  listQuery(
    ['models', 'revisions', owner, project, id],
    'GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/revisions',
    { path: { owner, project, hosted_model_id: id }, query: { limit: 20 } },
  );

export const sharesQuery = ({ owner, project, id }: ModelPath) =>
  listQuery(
    ['models', 'shares', owner, project, id],
    'GET /api/v1/projects/{owner}/{project}/hosted-models/{hosted_model_id}/shares',
    { path: { owner, project, hosted_model_id: id }, query: { limit: 50 } },
  );

/** Finished training jobs that can be served, the latest first. */
export const trainedModelsQuery = (kind: CallableModel['kind']) =>
  routeQuery(['models', 'trained', kind], 'GET /api/v1/models', {
    query: { source: 'training_job', access: 'owned', kind, limit: 100 },
  });

export const sources = ['hosted', 'training_job', 'base'] as const;
export const accesses = ['owned', 'shared', 'public'] as const;

export type RegistrySearch = {
  q?: string | undefined;
  source?: (typeof sources)[number] | undefined;
  kind?: ModelKind | undefined;
  access?: (typeof accesses)[number] | undefined;
};

export const registryQuery = (filter: RegistrySearch) =>
  listQuery(['models', 'registry', filter], 'GET /api/v1/models', { query: { ...filter, limit: 50 } });

/** Other queries that a change of a hosted model affects. */
export function refreshAroundModels(queryClient: QueryClient): void {
  for (const room of ['models', 'projects', 'training', 'dashboard', 'activity'])
    void queryClient.invalidateQueries({ queryKey: [room] });
}
