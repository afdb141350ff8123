import { createRoute } from '@tanstack/react-router';
import { lazyComponent } from '../../routing/lazy-component.ts';
import { signedInRoute } from '../../routing/root-route.ts';
import {
  checkoutQuery,
  creditsQuery,
  ledgerQuery,
  platformQuery,
  pricesQuery,
  spanOf,
  summaryQuery,
} from './billing-queries.ts';
import { readBillingSearch } from './billing-search.ts';

export const creditsRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits',
  validateSearch: readBillingSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(creditsQuery);
    void queryClient.prefetchQuery(summaryQuery(deps.by ?? 'day', spanOf(deps)));
    void queryClient.prefetchInfiniteQuery(ledgerQuery(deps));
    void queryClient.prefetchQuery(platformQuery);
  },
  component: lazyComponent(() => import('./billing-page.tsx'), 'BillingPage'),
});

export const pricesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits/prices',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(platformQuery);
    void queryClient.prefetchQuery(pricesQuery);
  },
  component: lazyComponent(() => import('./prices-page.tsx'), 'PricesPage'),
});

/** The payment service redirects here. */
export const checkoutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits/checkout/$id',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(checkoutQuery(params.id)),
  component: lazyComponent(() => import('./checkout-page.tsx'), 'CheckoutPage'),
});
