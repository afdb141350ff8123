import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { textIn } from '../../app/search-text.ts';
import { examplesQuery, readExamplesSearch } from '../examples/examples-queries.ts';
import { eventsQuery, readEventsSearch } from '../feedback/feedback-queries.ts';
import { importsQuery } from '../imports/imports-queries.ts';
import { indexesQuery, indexQuery } from '../indexes/indexes-queries.ts';
import { projectRoute } from '../projects/routes.ts';
import { readCallsSearch, savedCallsQuery } from '../saved-calls/saved-calls-queries.ts';
import { readVersionsSearch, versionsQuery } from '../versions/versions-queries.ts';
import { type DatasetsFilter, datasetQuery, datasetsQuery } from './datasets-queries.ts';

export const dataRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data',
  validateSearch: ({ q, archived }: Record<string, unknown>): DatasetsFilter => ({
    q: textIn(q),
    archived: archived === true ? archived : undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, params, deps }) => {
    void queryClient.prefetchInfiniteQuery(datasetsQuery(params, deps));
    // They stand above the list, which they would push down.
    void queryClient.prefetchQuery(importsQuery(params));
  },
  component: lazyPage(() => import('./datasets-page.tsx'), 'DatasetsPage'),
});

export const importRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data/imports/$import',
  validateSearch: ({ dataset }: Record<string, unknown>): { dataset?: string | undefined } => ({
    dataset: typeof dataset === 'string' ? dataset : undefined,
  }),
  component: lazyPage(() => import('../imports/import-page.tsx'), 'ImportPage'),
});

/** Frame of all pages of a dataset. */
export const datasetRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data/$dataset',
  // Awaited: a dataset that is not there has no pages.
  loader: ({ context, params }) => context.queryClient.ensureQueryData(datasetQuery(params)),
  component: lazyPage(() => import('./dataset-frame.tsx'), 'DatasetFrame'),
  pendingComponent: lazyPage(() => import('./dataset-frame.tsx'), 'DatasetFrameSkeleton'),
  errorComponent: lazyPage(() => import('./dataset-frame.tsx'), 'DatasetProblem'),
});

export const examplesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/',
  validateSearch: readExamplesSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(examplesQuery(params, deps)),
  component: lazyPage(() => import('../examples/examples-page.tsx'), 'ExamplesPage'),
});

export const versionsRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/versions',
  validateSearch: readVersionsSearch,
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(versionsQuery(params)),
  component: lazyPage(() => import('../versions/versions-page.tsx'), 'VersionsPage'),
});

export const feedbackRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/feedback',
  validateSearch: readEventsSearch,
  loaderDeps: ({ search: { event: _event, ...filter } }) => filter,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(eventsQuery(params, deps)),
  component: lazyPage(() => import('../feedback/feedback-page.tsx'), 'FeedbackPage'),
});

export const indexesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/indexes',
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(indexesQuery(params)),
  component: lazyPage(() => import('../indexes/indexes-page.tsx'), 'IndexesPage'),
});

export const indexRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/indexes/$index',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(indexQuery(params)),
  component: lazyPage(() => import('../indexes/index-page.tsx'), 'IndexPage'),
});

export const savedCallsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/saved-calls',
  validateSearch: readCallsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(savedCallsQuery(params, deps)),
  component: lazyPage(() => import('../saved-calls/saved-calls-page.tsx'), 'SavedCallsPage'),
});
