import type { Sql } from '#db';
import type { Split } from './new-examples.ts';
import { examplesWithContent } from './same-content.store.ts';

/** Where the live examples of a query are: `first` is the split of the oldest one. */
export type QueryPlace = { first: Split; isInBoth: boolean };

/** By the keys of the queries; those without a live example are missing. */
export async function findQueryPlaces(
  sql: Sql,
  datasetId: string,
  keys: readonly bigint[],
): Promise<Map<bigint, QueryPlace>> {
  if (keys.length === 0) return new Map();
  const rows = await sql.query<QueryPlace & { key: string }>(
    `select requested.key::text as key, place.first, place."isInBoth"
       from (select distinct key::bigint as key from unnest(string_to_array($2, ',')) as sent (key)) requested
      cross join lateral (
        select (array_agg(e.split order by e.id))[1] as first,
               bool_or(e.split = 'train') and bool_or(e.split = 'test') as "isInBoth"
          from (
            select c.hash from example_contents c where c.query_key = requested.key and c.dataset_id || '' = $1 offset 0
          ) c
         cross join lateral ${examplesWithContent('c.hash')} e
         where e.removed_seq = 9223372036854775807
      ) place
      where place.first is not null`,
    [datasetId, keys.join(',')],
    { name: 'datasets.find_query_places' },
  );
  return new Map(rows.map(({ key, ...place }) => [BigInt(key), place]));
}
