import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, redirect } from '@tanstack/react-router';
import { hasEnded, sessionQuery } from '../api/session.ts';

type RouterContext = { queryClient: QueryClient };

/** Their components are set in `app/router.ts`, because the layout links to pages of all rooms. */
export const rootRoute = createRootRouteWithContext<RouterContext>()({});

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
});
