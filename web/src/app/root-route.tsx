import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, Outlet, redirect } from '@tanstack/react-router';
import { hasEnded, sessionQuery } from '../api/session.ts';
import { Frame } from './frame/frame.tsx';
import { FrameSkeleton } from './frame/frame-skeleton.tsx';
import { NotFound } from './not-found.tsx';
import { RouteProblem } from './route-problem.tsx';

export type RouterContext = { queryClient: QueryClient };

export const rootRoute = createRootRouteWithContext<RouterContext>()({
  component: Outlet,
  notFoundComponent: NotFound,
  errorComponent: RouteProblem,
});

/** Parent of every page that needs an account. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const session = await context.queryClient.ensureQueryData(sessionQuery);
    if (session !== null) return;
    const next = location.href === '/' ? undefined : location.href;
    throw redirect({
      to: '/sign-in',
      search: { next, error: hasEnded() ? 'session_ended' : undefined },
      replace: true,
    });
  },
  component: Frame,
  pendingComponent: FrameSkeleton,
  errorComponent: RouteProblem,
});
