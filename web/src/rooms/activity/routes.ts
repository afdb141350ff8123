import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { signedInRoute } from '../../app/root-route.tsx';
import { type ActivityFilter, activityQuery } from './activity-queries.ts';
import { isActivityType } from './activity-type-texts.ts';

function readSearch({ archived, type, project }: Record<string, unknown>): ActivityFilter {
  return {
    archived: archived === true ? archived : undefined,
    type: isActivityType(type) ? type : undefined,
    project: typeof project === 'string' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(project) ? project : undefined,
  };
}

export const activityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/activity',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(activityQuery(deps)),
  component: lazyPage(() => import('./activity-page.tsx'), 'ActivityPage'),
});
