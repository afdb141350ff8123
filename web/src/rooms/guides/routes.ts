import { createRoute, notFound } from '@tanstack/react-router';
import { isProblem } from '../../api/problem.ts';
import { sessionQuery } from '../../api/session.ts';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { rootRoute } from '../../routing/root-route.ts';
import { textIn } from '../../routing/search-text.ts';
import { guideQuery, guidesQuery } from './guides-queries.ts';

/** For everybody; the layout around it depends on whether somebody is signed in. */
export const guidesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/guides',
  beforeLoad: async ({ context }) => void (await context.queryClient.ensureQueryData(sessionQuery)),
});

export const guidesHomeRoute = createRoute({
  getParentRoute: () => guidesRoute,
  path: '/',
  validateSearch: ({ q }: Record<string, unknown>): { q?: string | undefined } => ({ q: textIn(q) }),
  loader: ({ context }) => void context.queryClient.prefetchQuery(guidesQuery),
  component: lazyComponent(() => import('./guides-page.tsx'), 'GuidesPage'),
});

export const guideRoute = createRoute({
  getParentRoute: () => guidesRoute,
  path: '/$guide',
  // Awaited: the heading of the address must be in the page when it is scrolled to.
  loader: async ({ context, params }) => {
    try {
      await context.queryClient.ensureQueryData(guideQuery(params.guide));
    } catch (error) {
      throw isProblem(error, 'not_found') ? notFound() : error;
    }
  },
  component: lazyComponent(() => import('./guide-page.tsx'), 'GuidePage'),
});
