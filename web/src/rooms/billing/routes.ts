import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page.ts';
import { signedInRoute } from '../../app/root-route.tsx';
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
  component: lazyPage(() => import('./billing-page.tsx'), 'BillingPage'),
});

export const pricesRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits/prices',
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(platformQuery);
    void queryClient.prefetchQuery(pricesQuery);
  },
  component: lazyPage(() => import('./prices-page.tsx'), 'PricesPage'),
});

/** Where the payment service sends the buyer back to. */
export const checkoutRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: '/credits/checkout/$id',
  loader: ({ context, params }) => void context.queryClient.prefetchQuery(checkoutQuery(params.id)),
  component: lazyPage(() => import('./checkout-page.tsx'), 'CheckoutPage'),
});
