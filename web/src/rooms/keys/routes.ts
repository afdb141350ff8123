import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { keysQuery } from './keys-queries.ts';

export const keysRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/keys',
  // Not awaited: the page is shown while the rows are loading.
  loader: ({ context }) => void context.queryClient.prefetchInfiniteQuery(keysQuery),
  component: lazyComponent(() => import('./keys-page.tsx'), 'KeysPage'),
});
