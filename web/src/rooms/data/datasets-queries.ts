import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import type { ProjectPath } from '../projects/index.ts';

export type Dataset = Schemas['Dataset'];
export type DatasetPath = ProjectPath & { dataset: string };
export type DatasetsFilter = { q?: string | undefined; archived?: true | undefined };

export const pathOf = ({ owner, project, dataset }: DatasetPath) => ({ owner, project, dataset_id: dataset });

export const datasetsQuery = ({ owner, project }: ProjectPath, filter: DatasetsFilter) =>
  listQuery(['datasets', owner, project, filter], 'GET /api/v1/projects/{owner}/{project}/datasets', {
    path: { owner, project },
    query: { ...filter, archived: filter.archived ?? false, limit: 50 },
  });

export const datasetQuery = (at: DatasetPath) =>
  routeQuery(
    ['dataset', at.owner, at.project, at.dataset],
    'GET /api/v1/projects/{owner}/{project}/datasets/{dataset_id}',
    { path: pathOf(at) },
  );

const importsPollMs = 5_000;

type ImportState = Schemas['Import']['state'];

/** The server is working on it, so its state is polled. */
export const isImportInProgress = (state: ImportState): boolean =>
  state === 'uploaded' || state === 'profiling' || state === 'importing' || state === 'canceling';
export const isImportOver = (state: ImportState): boolean =>
  state === 'completed' || state === 'failed' || state === 'canceled' || state === 'expired';

/** The latest imports, the unfinished ones among them. */
export const importsQuery = ({ owner, project }: ProjectPath) =>
  queryOptions({
    queryKey: ['imports', owner, project],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/imports', {
        path: { owner, project },
        query: { limit: 25 },
        signal,
      }),
    refetchInterval: ({ state: { data } }) =>
      data?.data.some(({ state }) => isImportInProgress(state)) ? importsPollMs : false,
  });

export const datasetLimitsQuery = ({ owner, project }: ProjectPath) => ({
  ...routeQuery(['dataset-limits', owner, project], 'GET /api/v1/projects/{owner}/{project}/datasets/limits', {
    path: { owner, project },
  }),
  staleTime: 60_000,
});

type NewDataset = Routes['POST /api/v1/projects/{owner}/{project}/datasets']['body'];

export function useCreateDataset({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewDataset; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/datasets', { path: { owner, project }, body, idempotencyKey }),
    onSuccess: (dataset) => {
      queryClient.setQueryData(datasetQuery({ owner, project, dataset: dataset.id }).queryKey, dataset);
      void queryClient.invalidateQueries({ queryKey: ['datasets', owner, project] });
    },
  });
}

type DatasetChange = Routes['PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}']['body'];

/** `onDone` is called even if the calling component is unmounted by then. */
export function useChangeDataset(at: DatasetPath, onDone?: (changed: Dataset) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: DatasetChange) =>
      call('PATCH /api/v1/projects/{owner}/{project}/datasets/{dataset_id}', { path: pathOf(at), body }),
    onSuccess: (changed) => {
      onDone?.(changed);
      queryClient.setQueryData(datasetQuery(at).queryKey, changed);
      void queryClient.invalidateQueries({ queryKey: ['datasets', at.owner, at.project] });
    },
  });
}

export function refreshDataset(queryClient: QueryClient, at: DatasetPath): void {
  void queryClient.invalidateQueries({ queryKey: datasetQuery(at).queryKey });
  void queryClient.invalidateQueries({ queryKey: ['datasets', at.owner, at.project] });
  void queryClient.invalidateQueries({ queryKey: ['dashboard'] });
}
