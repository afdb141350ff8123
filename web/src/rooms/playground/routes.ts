import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { trainedModelsQuery } from '../models/models-queries.ts';
import { baseModelsQuery, hostedModelsQuery, type Project, projectQuery } from '../projects/projects-queries.ts';
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
    const askForTrained = ({ kind }: Project) => queryClient.prefetchQuery(trainedModelsQuery(kind));
    // That it is not there is told by the page around this one.
    void queryClient.ensureQueryData(projectQuery(params)).then(askForTrained, () => {});
  },
  component: lazyPage(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
