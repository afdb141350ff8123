import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { keysQuery } from './keys-queries.ts';

export const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/keys',
  // Not awaited: the page shows its frame while the rows are on their way.
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(keysQuery),
  component: lazyComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});
