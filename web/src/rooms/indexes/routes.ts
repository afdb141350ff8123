import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { datasetRoute } from '../data/index.ts';
import { indexesQuery, indexQuery } from './indexes-queries.ts';

export const indexesRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/indexes',
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(indexesQuery(params)),
  component: lazyComponent(() => import('./indexes-page.tsx'), 'IndexesPage'),
});

export const indexRoute = createRoute({
  getParentRoute: () => datasetRoute,
  path: '/indexes/$index',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(indexQuery(params)),
  component: lazyComponent(() => import('./index-page.tsx'), 'IndexPage'),
});
