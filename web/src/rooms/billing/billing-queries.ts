import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Routes, Schemas } from '../../api/generated/contract.ts';
import { listQuery, routeQuery } from '../../api/queries.ts';
import { type BillingSearch, type Grouping, type Span, startOf } from './billing-search.ts';

export type LedgerRow = Schemas['LedgerRow'];
export type UsageGroup = Schemas['UsageGroup'];
export type Checkout = Schemas['Checkout'];
export type Platform = Routes['GET /api/v1/pricing/platform']['response'];
export type Price = Schemas['Price'];
export type EstimateBody = Routes['POST /api/v1/pricing/estimate']['body'];
export type Estimate = Routes['POST /api/v1/pricing/estimate']['response'];

const defaultSpan: Span = 30;
export const spanOf = ({ days = defaultSpan }: BillingSearch): Span => days;

export const creditsQuery = queryOptions({
  queryKey: ['billing', 'credits'],
  queryFn: ({ signal }) => call('GET /api/v1/credits', { signal }),
  refetchInterval: 30_000,
});

export const summaryQuery = (by: Grouping, span: Span) =>
  routeQuery(['billing', 'summary', by, span], 'GET /api/v1/credits/usage/summary', {
    query: { group_by: by, from: startOf(span, Date.now()), limit: 20 },
  });

export function ledgerFilter(search: BillingSearch) {
  const { type, project, model, key_id } = search;
  return { type, project, model, key_id, from: startOf(spanOf(search), Date.now()) };
}

export const ledgerQuery = (search: BillingSearch) => {
  const { days, type, project, model, key_id } = search;
  return listQuery(['billing', 'ledger', { days, type, project, model, key_id }], 'GET /api/v1/credits/usage', {
    query: { ...ledgerFilter(search), limit: 25 },
  });
};

export const platformQuery = {
  ...routeQuery(['billing', 'platform'], 'GET /api/v1/pricing/platform', {}),
  staleTime: 60_000,
};

export const pricesQuery = {
  ...routeQuery(['billing', 'prices'], 'GET /api/v1/pricing/models', { query: { limit: 100 } }),
  staleTime: 60_000,
};

/** Polled while the payment may still change. */
export const checkoutQuery = (id: string) =>
  queryOptions({
    queryKey: ['billing', 'checkout', id],
    queryFn: ({ signal }) => call('GET /api/v1/credits/checkout/{checkout_id}', { path: { checkout_id: id }, signal }),
    refetchInterval: ({ state }) =>
      state.data?.state === 'open' || state.data?.state === 'processing' ? 2_000 : false,
  });

export type Order = { pack_id: string } | { credits: string };

export function useOpenCheckout() {
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: { body: Order; idempotencyKey: string }) =>
      call('POST /api/v1/credits/checkout', { body, idempotencyKey }),
  });
}

export function useCancelCheckout(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /api/v1/credits/checkout/{checkout_id}/cancel', { path: { checkout_id: id } }),
    onSuccess: (checkout) => queryClient.setQueryData(checkoutQuery(id).queryKey, checkout),
  });
}

export function useEstimate() {
  return useMutation({ mutationFn: (body: EstimateBody) => call('POST /api/v1/pricing/estimate', { body }) });
}
