import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { keysQuery } from '../keys/index.ts';
import { projectRoute } from '../projects/index.ts';
import { requestsQuery } from './requests-queries.ts';
import { readRequestsSearch } from './requests-search.ts';

export const requestsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/requests',
  validateSearch: readRequestsSearch,
  loaderDeps: ({ search: { id: _, ...filter } }) => filter,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchInfiniteQuery(requestsQuery(deps));
    void queryClient.prefetchInfiniteQuery(keysQuery);
  },
  component: lazyComponent(() => import('./requests-page.tsx'), 'RequestsPage'),
});

export const projectRequestsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/requests',
  validateSearch: readRequestsSearch,
  loaderDeps: ({ search: { id: _, ...filter } }) => filter,
  loader: ({ context: { queryClient }, deps, params: { owner, project } }) => {
    void queryClient.prefetchInfiniteQuery(requestsQuery({ ...deps, project: `${owner}/${project}` }));
    void queryClient.prefetchInfiniteQuery(keysQuery);
  },
  component: lazyComponent(() => import('./requests-page.tsx'), 'ProjectRequestsPage'),
});
