import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { signedInRoute } from '../../app/root-route.tsx';
import { textIn } from '../../app/search-text.ts';
import { projectRoute } from '../projects/routes.ts';
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
    kind: kind === 'text' || kind === 'embedding' ? kind : undefined,
    access: accesses.find((each) => each === access),
  };
}

export const registryRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/models',
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchInfiniteQuery(registryQuery(deps)),
  component: lazyPage(() => import('./registry-page.tsx'), 'RegistryPage'),
});

export const hostedModelsRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/hosted-models',
  loader: ({ context, params }) => void context.queryClient.prefetchInfiniteQuery(hostedListQuery(params)),
  component: lazyPage(() => import('./hosted-models-page.tsx'), 'HostedModelsPage'),
});

export const hostedModelRoute = createRoute({
  getParentRoute: () => projectRoute,
  path: '/hosted-models/$id',
  loader: ({ context: { queryClient }, params }) => {
    void queryClient.prefetchQuery(hostedModelQuery(params));
    void queryClient.prefetchInfiniteQuery(revisionsQuery(params));
    void queryClient.prefetchInfiniteQuery(sharesQuery(params));
  },
  component: lazyPage(() => import('./hosted-model-page.tsx'), 'HostedModelPage'),
});
