import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';

export const accountRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/account',
  component: lazyComponent(() => import('./account-page.tsx'), 'AccountPage'),
});
