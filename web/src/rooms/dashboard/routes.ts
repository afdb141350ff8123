import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { signedInRoute } from '../../app/root-route.tsx';
import { dashboardQuery, isWindow, type Window } from './dashboard-queries.ts';

export const dashboardRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/',
  validateSearch: ({ window }: Record<string, unknown>): { window?: Window | undefined } => ({
    window: isWindow(window) ? window : undefined,
  }),
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(dashboardQuery(deps.window ?? '7d')),
  component: lazyPage(() => import('./dashboard-page.tsx'), 'DashboardPage'),
});
