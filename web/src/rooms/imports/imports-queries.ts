import { keepPreviousData, type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call, type ResponseOf, send } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { isProblem, readBody } from '../../api/problem.ts';
import { routeQuery } from '../../api/queries.ts';
import { isImportInProgress, refreshDataset } from '../data/index.ts';
import type { ProjectPath } from '../projects/index.ts';

export type Import = Schemas['Import'];
export type ImportState = Import['state'];
export type ImportPath = ProjectPath & { import: string };
export type Profile = ResponseOf<'GET /api/v1/projects/{owner}/{project}/imports/{import_id}/profile'>;
export type Preview = ResponseOf<'POST /api/v1/projects/{owner}/{project}/imports/{import_id}/preview'>;
export type PreviewRow = Preview['rows'][number];
export type Mapping = NonNullable<Import['mapping']>;
export type Options = Import['options'];
export type IssueCode = Profile['issues'][number]['code'];

const pollMs = 700;

export const pathOf = ({ owner, project, import: id }: ImportPath) => ({ owner, project, import_id: id });

export const importQuery = (at: ImportPath) =>
  queryOptions({
    queryKey: ['import', at.import],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/imports/{import_id}', { path: pathOf(at), signal }),
    refetchInterval: ({ state: { data } }) => (data && isImportInProgress(data.state) ? pollMs : false),
  });

export const profileQuery = (at: ImportPath) => ({
  ...routeQuery(['import-profile', at.import], 'GET /api/v1/projects/{owner}/{project}/imports/{import_id}/profile', {
    path: pathOf(at),
  }),
  staleTime: Number.POSITIVE_INFINITY,
});

/** The file is still being read with another mapping. */
const isBeingRead = (error: unknown): boolean =>
  isProblem(error, 'state_conflict') &&
  (error.details?.['reason'] === 'profiling' || ['uploaded', 'profiling'].includes(String(error.details?.['state'])));

/** Never cached: only the token of the latest preview can be confirmed. */
export const previewQuery = (at: ImportPath, { mapping, options }: { mapping: Mapping | null; options: Options }) =>
  queryOptions({
    queryKey: ['import-preview', at.import, mapping, options],
    queryFn: ({ signal }) =>
      call('POST /api/v1/projects/{owner}/{project}/imports/{import_id}/preview', {
        path: pathOf(at),
        body: { ...(mapping && { mapping }), options, limit: 12 },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: (count, error) => isBeingRead(error) || (count < 2 && isProblem(error) && error.status === 0),
    retryDelay: pollMs,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

export const importErrorsQuery = (at: ImportPath, code: IssueCode) =>
  routeQuery(['import-errors', at.import, code], 'GET /api/v1/projects/{owner}/{project}/imports/{import_id}/errors', {
    path: pathOf(at),
    query: { code, limit: 50 },
  });

/** All issues as a file, in NDJSON. */
export async function fetchErrorFile(at: ImportPath): Promise<Blob> {
  const response = await send('GET /api/v1/projects/{owner}/{project}/imports/{import_id}/errors', {
    path: pathOf(at),
    headers: { accept: 'application/x-ndjson' },
  });
  return readBody(response.blob());
}

export type NewImport = Routes['POST /api/v1/projects/{owner}/{project}/imports']['body'];

export function useCreateImport({ owner, project }: ProjectPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewImport; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/imports', { path: { owner, project }, body, idempotencyKey }),
    onSuccess: ({ import: made }) => remember(queryClient, { owner, project, import: made.id }, made),
  });
}

export function useReadAgain(at: ImportPath, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: Routes['POST /api/v1/projects/{owner}/{project}/imports/{import_id}/profile']['body']) =>
      call('POST /api/v1/projects/{owner}/{project}/imports/{import_id}/profile', { path: pathOf(at), body }),
    onSuccess: (changed) => {
      queryClient.removeQueries(profileQuery(at));
      onDone();
      remember(queryClient, at, changed);
    },
  });
}

export function useConfirmImport(at: ImportPath) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ token, idempotencyKey }: { token: string; idempotencyKey: string }) =>
      call('POST /api/v1/projects/{owner}/{project}/imports/{import_id}/confirm', {
        path: pathOf(at),
        body: { preview_token: token },
        idempotencyKey,
      }),
    onSuccess: (changed) => remember(queryClient, at, changed),
  });
}

/** `onDone` is called even if the calling component is unmounted by then. */
export function useCancelImport(at: ImportPath, onDone: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /api/v1/projects/{owner}/{project}/imports/{import_id}/cancel', { path: pathOf(at) }),
    onSuccess: (changed) => {
      onDone();
      remember(queryClient, at, changed);
    },
  });
}

function remember(queryClient: QueryClient, at: ImportPath, changed: Import): void {
  queryClient.setQueryData(importQuery(at).queryKey, changed);
  void queryClient.invalidateQueries({ queryKey: ['imports', at.owner, at.project] });
}

export function refreshAfterImport(queryClient: QueryClient, at: ImportPath, { dataset_id }: Import): void {
  void queryClient.invalidateQueries({ queryKey: ['imports', at.owner, at.project] });
  if (dataset_id === null) return;
  refreshDataset(queryClient, { ...at, dataset: dataset_id });
  void queryClient.invalidateQueries({ queryKey: ['examples', dataset_id] });
  void queryClient.invalidateQueries({ queryKey: ['versions', dataset_id] });
}
