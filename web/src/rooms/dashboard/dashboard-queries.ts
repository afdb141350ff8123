import { queryOptions } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/call.ts';

export type Dashboard = AnswerOf<'GET /api/v1/dashboard'>;

export const windows = ['24h', '7d', '30d'] as const;
export type Window = (typeof windows)[number];

export const isWindow = (value: unknown): value is Window => windows.some((window) => window === value);

export const dashboardQuery = (window: Window) =>
  queryOptions({
    queryKey: ['dashboard', window],
    queryFn: ({ signal }) => call('GET /api/v1/dashboard', { query: { window }, signal }),
    refetchInterval: 30_000,
  });
