import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { textIn } from '../../routing/search-text.ts';
import { baseModelsQuery, projectRoute } from '../projects/index.ts';
import { jobStates } from './job-state.ts';
import {
  attemptsQuery,
  datasetChoiceQuery,
  type JobsFilter,
  jobQuery,
  jobsQuery,
  metricsQuery,
} from './training-queries.ts';

export const trainingRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/training-jobs',
  validateSearch: ({ q, state, dataset_id }: Record<string, unknown>): JobsFilter => ({
    q: textIn(q),
    state: jobStates.find((each) => each === state),
    dataset_id: textIn(dataset_id),
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(jobsQuery(params, deps)),
  component: lazyComponent(() => import('./jobs-page.tsx'), 'JobsPage'),
});

type NewJobSearch = {
  dataset?: string | undefined;
  version?: string | undefined;
  base?: string | undefined;
  /** An earlier job whose settings are copied. */
  from?: string | undefined;
};

export const newJobRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/training-jobs/new',
  validateSearch: ({ dataset, version, base, from }: Record<string, unknown>): NewJobSearch => ({
    dataset: textIn(dataset),
    version: textIn(version),
    base: textIn(base),
    from: textIn(from),
  }),
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(baseModelsQuery);
    void queryClient.prefetchQuery(datasetChoiceQuery(params));
  },
  component: lazyComponent(() => import('./new-job-page.tsx'), 'NewJobPage'),
});

export const compareRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/training-jobs/compare',
  validateSearch: ({ jobs }: Record<string, unknown>): { jobs: string } => ({
    jobs: typeof jobs === 'string' && /^job_\w+(,job_\w+)*$/.test(jobs) ? jobs : '',
  }),
  component: lazyComponent(() => import('./compare-page.tsx'), 'ComparePage'),
});

export const jobRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/training-jobs/$id',
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(jobQuery(params));
    void queryClient.prefetchQuery(metricsQuery(params));
    void queryClient.prefetchQuery(attemptsQuery(params));
  },
  component: lazyComponent(() => import('./job-page.tsx'), 'JobPage'),
});
