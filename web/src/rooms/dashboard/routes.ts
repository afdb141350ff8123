import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { dashboardQuery, isWindow, type Window } from './dashboard-queries.ts';

export const dashboardRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: ({ window }: Record<string, unknown>): { window?: Window | undefined } => ({
    window: isWindow(window) ? window : undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(dashboardQuery(deps.window ?? '7d')),
  component: lazyComponent(() => import('./dashboard-page.tsx'), 'DashboardPage'),
});
