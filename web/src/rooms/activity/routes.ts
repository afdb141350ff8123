import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { type ActivityFilter, activityQuery } from './activity-queries.ts';
import type { ActivityType } from './activity-type-texts.ts';

/** The names of the types are not loaded here, so only the format is checked. */
function readType(value: unknown): ActivityType | undefined {
  // as: the page ignores unknown types.
  return typeof value === 'string' && /^[a-z]+\.[a-z_]+$/.test(value) ? (value as ActivityType) : undefined;
}

function readSearch({ archived, type, project, actor_id }: Record<string, unknown>): ActivityFilter {
  return {
    archived: archived === true ? archived : undefined,
    type: readType(type),
    project: typeof project === 'string' && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(project) ? project : undefined,
    actor_id: typeof actor_id === 'string' && /^(key|acc)_[0-9A-Z]{26}$/.test(actor_id) ? actor_id : undefined,
  };
}

export const activityRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/activity',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(activityQuery(deps)),
  component: lazyComponent(() => import('./activity-page.tsx'), 'ActivityPage'),
});
