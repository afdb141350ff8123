import type { Sql } from '#db';
import { assignQuerySplit } from './assign-split.ts';
import type { Split } from './new-examples.ts';
import { queryKey } from './query-key.ts';
import { findQueryPlaces, type QueryPlace } from './query-splits.store.ts';

/** What a person chose, or the share of the queries that is tested with. */
export type SplitChoice = { split: Split } | { testRatio: number };

/** `isLeaked`: with it, examples of the query are in both splits. */
export type AssignedSplit = { split: Split; isLeaked: boolean };

/**
 * The splits of new examples, by their queries. A query that has a live example keeps its split, whatever the share was
 * then; so it comes into both splits only if a person chooses so.
 */
export async function assignQuerySplits(
  sql: Sql,
  { datasetId, queries }: { datasetId: string; queries: readonly string[] },
  choice: SplitChoice,
): Promise<Map<string, AssignedSplit>> {
  const keys = new Map(queries.map((query) => [query, queryKey(datasetId, query)]));
  const places = await findQueryPlaces(sql, datasetId, [...keys.values()]);
  return new Map([...keys].map(([query, key]) => [query, assign(query, places.get(key) ?? null, choice)]));
}

function assign(query: string, place: QueryPlace | null, choice: SplitChoice): AssignedSplit {
  const split =
    'split' in choice
      ? choice.split
      : (place?.first ?? assignQuerySplit(query, { test_ratio: choice.testRatio, split_seed: 0 }));
  return { split, isLeaked: place !== null && (place.isInBoth || place.first !== split) };
}

/** The splits that queries have, by query; those without a live example are missing. */
export async function findQuerySplits(
  sql: Sql,
  datasetId: string,
  queries: readonly string[],
): Promise<Map<string, Split>> {
  const keys = queries.map((query) => queryKey(datasetId, query));
  const places = await findQueryPlaces(sql, datasetId, keys);
  return new Map(
    queries.flatMap((query, index) => {
      const place = places.get(keys[index] ?? 0n);
      return place ? [[query, place.first] as const] : [];
    }),
  );
}
