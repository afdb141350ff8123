import { type QueryClient, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';

export type Project = Schemas['Project'];
export type ProjectPath = { owner: string; project: string };

export type ProjectsSearch = {
  q?: string | undefined;
  kind?: 'text' | 'embedding' | undefined;
  archived?: true | undefined;
};

export const projectsQuery = (filter: ProjectsSearch) =>
  listQuery(['projects', 'list', filter], 'GET /api/v1/projects', { query: { ...filter, limit: 50 } });

export const projectQuery = ({ owner, project }: ProjectPath) =>
  routeQuery(['projects', 'one', owner, project], 'GET /api/v1/projects/{owner}/{project}', {
    path: { owner, project },
  });

/** Poll interval while a model is being checked. */
export const warmingPollMs = 1_000;

/** The hosted models of a project. */
export const hostedModelsQuery = ({ owner, project }: ProjectPath) =>
  queryOptions({
    queryKey: ['projects', 'models', owner, project],
    queryFn: ({ signal }) =>
      call('GET /api/v1/projects/{owner}/{project}/hosted-models', {
        path: { owner, project },
        query: { source: 'alias', limit: 100 },
        signal,
      }),
    refetchInterval: ({ state }) =>
      state.data?.data.some((model) => model.state === 'warming') ? warmingPollMs : false,
  });

/** The models of somebody else's project that this account may call. */
export const callableHereQuery = ({ owner, project }: ProjectPath) =>
  routeQuery(['projects', 'callable', owner, project], 'GET /api/v1/models', {
    query: { source: 'hosted', project: `${owner}/${project}`, limit: 100 },
  });

/** The models of other accounts that are shared with this one. */
export const sharedModelsQuery = routeQuery(['models', 'shared'], 'GET /api/v1/models', {
  query: { source: 'hosted', access: 'shared', limit: 100 },
});

export const baseModelsQuery = {
  ...routeQuery(['models', 'base'], 'GET /api/v1/base-models', { query: { limit: 100 } }),
  staleTime: 60_000,
};

export type NewProject = Routes['POST /api/v1/projects']['body'];
type ProjectChange = Routes['PATCH /api/v1/projects/{owner}/{project}']['body'];

export function useCreateProject() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: NewProject; idempotencyKey: string }) =>
      call('POST /api/v1/projects', { body, idempotencyKey }),
    onSuccess: (project) => remember(queryClient, project),
  });
}

/** `onDone` is called even if the calling component is unmounted by then. */
export function useChangeProject({ owner, project }: ProjectPath, onDone?: (changed: Project) => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: ProjectChange) =>
      call('PATCH /api/v1/projects/{owner}/{project}', { path: { owner, project }, body }),
    onSuccess: (changed) => {
      onDone?.(changed);
      remember(queryClient, changed);
    },
  });
}

/** `onDone` is called even if the calling component is unmounted by then. */
export function useDeleteProject({ owner, project }: ProjectPath, onDone: () => Promise<void>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call('DELETE /api/v1/projects/{owner}/{project}', { path: { owner, project } }),
    onSuccess: async () => {
      // The page of projects reads its list anew instead of showing this one for a short time.
      queryClient.removeQueries({ queryKey: ['projects', 'list'] });
      await onDone();
      const { forgetRecentProject } = await import('../../api/recent-projects.ts');
      forgetRecentProject({ owner, slug: project });
      // Whatever is known of it is known no longer; another project may get its address.
      queryClient.removeQueries({
        predicate: ({ queryKey }) => queryKey.includes(owner) && queryKey.includes(project),
      });
      for (const queryKey of [['projects', 'list'], ['dashboard'], ['activity'], ['models']])
        void queryClient.invalidateQueries({ queryKey });
    },
  });
}

function remember(queryClient: QueryClient, project: Project): void {
  queryClient.setQueryData(projectQuery({ owner: project.owner.slug, project: project.slug }).queryKey, project);
  void queryClient.invalidateQueries({ queryKey: ['projects', 'list'] });
  void queryClient.invalidateQueries({ queryKey: ['dashboard'] });
  void queryClient.invalidateQueries({ queryKey: ['activity'] });
}
