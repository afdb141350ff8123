import { infiniteQueryOptions } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { byCursor, routeQuery } from '../../api/queries.ts';
import type { ProjectPath } from '../projects/index.ts';
import { isOver, type JobState } from './job-state.ts';

const jobsRoute = '/api/v1/projects/{owner}/{project}/training-jobs';
type JobsRoute = typeof jobsRoute;

export type Job = Schemas['TrainingJob'];
export type Attempt = Schemas['TrainingAttempt'];
export type LogLine = Schemas['TrainingLogLine'];
export type NewJob = Routes[`POST ${JobsRoute}`]['body'];
export type Metrics = ResponseOf<`GET ${JobsRoute}/{job_id}/metrics`>;

export type JobPath = ProjectPath & { id: string };

export type JobsFilter = { q?: string | undefined; state?: JobState | undefined; dataset_id?: string | undefined };

const livePollMs = 2_000;

export const pathOf = ({ owner, project, id }: JobPath) => ({ owner, project, job_id: id });

export const jobsQuery = ({ owner, project }: ProjectPath, filter: JobsFilter) =>
  infiniteQueryOptions({
    queryKey: ['training', 'list', owner, project, filter],
    queryFn: ({ pageParam, signal }) =>
      call(`GET ${jobsRoute}`, {
        path: { owner, project },
        query: { ...filter, limit: 50, cursor: pageParam },
        signal,
      }),
    ...byCursor,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ data }) => data.some((job) => !isOver(job.state))) ? livePollMs : false,
  });

/** Not polled: the event stream of the job updates it. */
export const jobQuery = (path: JobPath) =>
  routeQuery(['training', 'one', path.owner, path.project, path.id], `GET ${jobsRoute}/{job_id}`, {
    path: pathOf(path),
  });

export const metricsQuery = (path: JobPath, attempt?: number) =>
  routeQuery(
    ['training', 'metrics', path.owner, path.project, path.id, attempt ?? null],
    `GET ${jobsRoute}/{job_id}/metrics`,
    { path: pathOf(path), query: { attempt, max_points: 400 } },
  );

export const attemptsQuery = (path: JobPath) =>
  routeQuery(['training', 'attempts', path.owner, path.project, path.id], `GET ${jobsRoute}/{job_id}/attempts`, {
    path: pathOf(path),
    query: { limit: 50 },
  });

export const frozenQuery = (path: JobPath) =>
  routeQuery(['training', 'frozen', path.owner, path.project, path.id], `GET ${jobsRoute}/{job_id}/frozen-dataset`, {
    path: pathOf(path),
  });

export type RetryFrom = 'checkpoint' | 'start';

export const retryEstimateQuery = (path: JobPath, from: RetryFrom) => ({
  ...routeQuery(
    ['training', 'retry', path.owner, path.project, path.id, from],
    `GET ${jobsRoute}/{job_id}/retry-estimate`,
    { path: pathOf(path), query: { from } },
  ),
  staleTime: 0,
});

export const datasetChoiceQuery = ({ owner, project }: ProjectPath) =>
  routeQuery(['training', 'datasets', owner, project], 'GET /api/v1/projects/{owner}/{project}/datasets', {
    path: { owner, project },
    query: { limit: 100 },
  });

/** Of a dataset, or of all of the project. */
export const versionChoiceQuery = ({ owner, project }: ProjectPath, datasetId?: string) =>
  routeQuery(
    ['training', 'versions', owner, project, datasetId ?? null],
    'GET /api/v1/projects/{owner}/{project}/dataset-versions',
    { path: { owner, project }, query: { dataset_id: datasetId, limit: 100 } },
  );

export const maxComparedJobs = 6;
