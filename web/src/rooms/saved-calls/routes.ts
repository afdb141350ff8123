import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { projectRoute } from '../projects/index.ts';
import { readCallsSearch, savedCallsQuery } from './saved-calls-queries.ts';

export const savedCallsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/saved-calls',
  validateSearch: readCallsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) => void context.queryClient.prefetchInfiniteQuery(savedCallsQuery(params, deps)),
  component: lazyComponent(() => import('./saved-calls-page.tsx'), 'SavedCallsPage'),
});
