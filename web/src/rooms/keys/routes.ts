import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../app/root-route.tsx';
import { keysQuery } from './keys-queries.ts';

export const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/keys',
  // Not awaited: the page shows its frame while the rows are on their way.
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(keysQuery),
  component: lazyRouteComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});
