import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { baseModelsQuery, hostedModelsQuery } from '../projects/projects-queries.ts';
import { projectRoute } from '../projects/routes.ts';

export type PlaygroundSearch = {
  /** A conversation that goes on; none: a new one. */
  chat?: string | undefined;
  compare?: true | undefined;
  /** Which model a new conversation begins with. */
  model?: string | undefined;
};

export const playgroundRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/playground',
  validateSearch: ({ chat, compare, model }: Record<string, unknown>): PlaygroundSearch => ({
    chat: typeof chat === 'string' && chat !== '' ? chat : undefined,
    compare: compare === true ? compare : undefined,
    model: typeof model === 'string' && model !== '' ? model : undefined,
  }),
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(baseModelsQuery);
    void queryClient.prefetchQuery(hostedModelsQuery(params));
  },
  component: lazyRouteComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
