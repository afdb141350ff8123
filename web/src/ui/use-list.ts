import {
  type InfiniteData,
  type QueryKey,
  type UseSuspenseInfiniteQueryOptions,
  useSuspenseInfiniteQuery,
} from '@tanstack/react-query';
import { useCallback } from 'react';

type ListPage = { data: unknown[]; total_count: number };

/** The loaded rows of a list, for `LoadMore` below them. */
export function useList<Page extends ListPage, Key extends QueryKey>(
  query: UseSuspenseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, string>,
) {
  const list = useSuspenseInfiniteQuery(query);
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = list;
  /** Loads more automatically, but does not repeat a failure. */
  const readOn = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage && !isFetchNextPageError) void fetchNextPage();
  }, [hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage]);
  const rows: Page['data'][number][] = list.data.pages.flatMap(({ data }) => data);
  return { list, rows, total: list.data.pages.at(-1)?.total_count ?? rows.length, readOn };
}
