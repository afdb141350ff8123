import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { datasetRoute, versionsQuery } from '../data/index.ts';
import { readVersionsSearch } from './versions-queries.ts';

export const versionsRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/versions',
  validateSearch: readVersionsSearch,
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(versionsQuery(params)),
  component: lazyComponent(() => import('./versions-page.tsx'), 'VersionsPage'),
});
