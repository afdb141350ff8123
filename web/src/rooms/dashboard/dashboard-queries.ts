import { queryOptions } from '@tanstack/react-query';
import { call, type ResponseOf } from '../../api/call.ts';
import { routeQuery } from '../../api/queries.ts';

export type Dashboard = ResponseOf<'GET /api/v1/dashboard'>;

export const windows = ['24h', '7d', '30d'] as const;
export type Window = (typeof windows)[number];

export const isWindow = (value: unknown): value is Window => windows.some((window) => window === value);

/** Somebody may be making the first call in a terminal right now. */
function awaitsFirstCall(dashboard: Dashboard | undefined): boolean {
  const { key, first_call } = dashboard?.getting_started ?? { key: false, first_call: false };
  return key && !first_call;
}

export const dashboardQuery = (window: Window) =>
  queryOptions({
    queryKey: ['dashboard', window],
    queryFn: ({ signal }) => call('GET /api/v1/dashboard', { query: { window }, signal }),
    refetchInterval: ({ state }) => (awaitsFirstCall(state.data) ? 4_000 : 30_000),
  });

export const callableQuery = {
  ...routeQuery(['dashboard', 'callable'], 'GET /api/v1/models', { query: { limit: 100 } }),
  // A model may just have got its name.
  staleTime: 0,
};

export const installedQuery = {
  ...routeQuery(['dashboard', 'installed'], 'GET /api/v1/base-models', { query: { limit: 100 } }),
  staleTime: 30_000,
};

/** Whether a program has called with one of the keys. */
export const isAnyUsed = (keys: ResponseOf<'GET /api/v1/keys'> | undefined): boolean =>
  keys?.data.some(({ last_used_at }) => last_used_at !== null) === true;

export const usedKeysQuery = queryOptions({
  ...routeQuery(['dashboard', 'keys'], 'GET /api/v1/keys', { query: { limit: 100 } }),
  refetchInterval: ({ state }) => (isAnyUsed(state.data) ? false : 10_000),
});
