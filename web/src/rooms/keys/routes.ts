import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { signedInRoute } from '../../app/root-route.tsx';
import { keysQuery } from './keys-queries.ts';

export const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/keys',
  // Not awaited: the page shows its frame while the rows are on their way.
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(keysQuery),
  component: lazyPage(() => import('./keys-page.tsx'), 'KeysPage'),
});
