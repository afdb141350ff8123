import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { trainedModelsQuery } from '../models/index.ts';
import {
  baseModelsQuery,
  hostedModelsQuery,
  type Project,
  projectQuery,
  projectRoute,
  sharedModelsQuery,
} from '../projects/index.ts';
import { readPlaygroundSearch } from './playground-url.ts';

export const playgroundRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/playground',
  validateSearch: readPlaygroundSearch,
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(baseModelsQuery);
    void queryClient.prefetchQuery(hostedModelsQuery(params));
    void queryClient.prefetchQuery(sharedModelsQuery);
    const askForTrained = ({ kind }: Project) => queryClient.prefetchQuery(trainedModelsQuery(kind));
    // The layout of the project shows a missing project.
    void queryClient.ensureQueryData(projectQuery(params)).then(askForTrained, () => {});
  },
  component: lazyComponent(() => import('./playground-page.tsx'), 'PlaygroundPage'),
});
