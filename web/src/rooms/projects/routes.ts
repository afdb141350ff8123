import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { textIn } from '../../routing/search-text.ts';
import { baseModelsQuery, type ProjectsSearch, projectQuery, projectsQuery } from './projects-queries.ts';

function readSearch({ q, kind, archived }: Record<string, unknown>): ProjectsSearch {
  return {
    q: textIn(q),
    kind: kind === 'text' || kind === 'embedding' ? kind : undefined,
    archived: archived === true ? archived : undefined,
  };
}

export const projectsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(projectsQuery(deps)),
  component: lazyComponent(() => import('./projects-page.tsx'), 'ProjectsPage'),
});

/** Parent of all pages of a project, also those of other rooms. */
export const projectRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/projects/$owner/$project',
  // Awaited: a missing project is an error page.
  loader: ({ context, params }) => context.queryClient.ensureQueryData(projectQuery(params)),
  component: lazyComponent(() => import('./project-frame.tsx'), 'ProjectFrame'),
  pendingComponent: lazyComponent(() => import('./project-frame.tsx'), 'ProjectFrameSkeleton'),
  errorComponent: lazyComponent(() => import('./project-problem.tsx'), 'ProjectProblem'),
});

export const projectHomeRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/',
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(baseModelsQuery),
  component: lazyComponent(() => import('./project-home.tsx'), 'ProjectHome'),
});

export const projectSettingsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/settings',
  component: lazyComponent(() => import('./project-settings.tsx'), 'ProjectSettings'),
});
