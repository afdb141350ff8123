import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { datasetRoute } from '../data/index.ts';
import { examplesQuery, readExamplesSearch } from './examples-queries.ts';

export const examplesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/',
  validateSearch: readExamplesSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(examplesQuery(params, deps)),
  component: lazyComponent(() => import('./examples-page.tsx'), 'ExamplesPage'),
});
