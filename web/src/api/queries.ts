import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query';
import { type CallOptions, fetchRoute, type ResponseOf, type RouteName } from './call.ts';

type Page = { next_cursor: string | null };

/** Options of an infinite query whose pages name the cursor of the next one. */
export const byCursor = {
  initialPageParam: '',
  getNextPageParam: ({ next_cursor }: Page) => next_cursor,
};

/** The query of a route. */
export const routeQuery = <Name extends RouteName>(queryKey: QueryKey, route: Name, options: CallOptions<Name>) =>
  queryOptions({ queryKey, queryFn: ({ signal }) => fetchRoute(route, { ...options, signal }) });

/** Routes whose answers are pages of a list. */
type ListRoute = { [Name in RouteName]: ResponseOf<Name> extends Page ? Name : never }[RouteName];

/** The query of a list, page after page. */
export const listQuery = <Name extends ListRoute>(queryKey: QueryKey, route: Name, options: CallOptions<Name>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }): Promise<ResponseOf<Name> & Page> =>
      fetchRoute<Name & ListRoute>(route, { ...options, query: { ...options.query, cursor: pageParam }, signal }),
    ...byCursor,
  });
