import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { textIn } from '../../routing/search-text.ts';
import { projectRoute } from '../projects/index.ts';
import { type DatasetsFilter, datasetQuery, datasetsQuery, importsQuery } from './datasets-queries.ts';

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
    // Loaded together with the list, which would otherwise move down.
    void queryClient.prefetchQuery(importsQuery(params));
  },
  component: lazyComponent(() => import('./datasets-page.tsx'), 'DatasetsPage'),
});

/** Parent of all pages of a dataset. */
export const datasetRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/data/$dataset',
  // Awaited: a missing dataset is an error page.
  loader: ({ context, params }) => context.queryClient.ensureQueryData(datasetQuery(params)),
  component: lazyComponent(() => import('./dataset-frame.tsx'), 'DatasetFrame'),
  pendingComponent: lazyComponent(() => import('./dataset-frame.tsx'), 'DatasetFrameSkeleton'),
  errorComponent: lazyComponent(() => import('./dataset-frame.tsx'), 'DatasetProblem'),
});
