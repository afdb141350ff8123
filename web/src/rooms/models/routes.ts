import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import { textIn } from '../../routing/search-text.ts';
import { modelKinds } from '../../ui/kind.tsx';
import { projectRoute } from '../projects/index.ts';
import {
  accesses,
  hostedListQuery,
  hostedModelQuery,
  type RegistrySearch,
  registryQuery,
  revisionsQuery,
  sharesQuery,
  sources,
} from './models-queries.ts';

function readSearch({ q, source, kind, access }: Record<string, unknown>): RegistrySearch {
  return {
    q: textIn(q),
    source: sources.find((each) => each === source),
    kind: modelKinds.find((each) => each === kind),
    access: accesses.find((each) => each === access),
  };
}

export const registryRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/models',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(registryQuery(deps)),
  component: lazyComponent(() => import('./registry-page.tsx'), 'RegistryPage'),
});

export const hostedModelsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/hosted-models',
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(hostedListQuery(params)),
  component: lazyComponent(() => import('./hosted-models-page.tsx'), 'HostedModelsPage'),
});

export const hostedModelRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/hosted-models/$id',
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(hostedModelQuery(params));
    void queryClient.prefetchInfiniteQuery(revisionsQuery(params));
    void queryClient.prefetchInfiniteQuery(sharesQuery(params));
  },
  component: lazyComponent(() => import('./hosted-model-page.tsx'), 'HostedModelPage'),
});
