import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { trainedModelsQuery } from '../models/index.ts';
import { baseModelsQuery, hostedModelsQuery, type Project, projectQuery, projectRoute } from '../projects/index.ts';

type PlaygroundSearch = {
  /** An existing conversation; none: a new one. */
  chat?: string | undefined;
  compare?: true | undefined;
  /** The model of a new conversation. */
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
    // The layout of the project shows a missing project.
    void queryClient.ensureQueryData(projectQuery(params)).then(askForTrained, () => {});
  },
  component: lazyComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
