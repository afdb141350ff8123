import type { Sql } from '#db';
import { isPacked } from './packs.store.ts';

/**
 * SQL: the examples of the dataset `$1` with the content that has this hash; `cameWith` is the one whose id the
 * content's row holds. One index finds that one, another index finds the others. All further conditions are written
 * so that no other index can be chosen, whatever the statistics say.
 */
export function examplesThatSay({ hash, cameWith }: { hash: string; cameWith: string }): string {
  return `(
    select * from examples e
     where not e.came_with_content and example_key(e.dataset_id, e.content_hash) = example_key($1, ${hash})
       and e.content_hash = ${hash} and e.dataset_id || '' = $1
    union all
    select * from examples e
     where e.came_with_content and e.dataset_id = $1 and e.id = ${cameWith} and e.content_hash = ${hash}
    offset 0)`;
}

/** SQL: such an example is alive. */
export function isAlive(hash: string): string {
  return `coalesce((
    select true from example_contents said
     cross join lateral ${examplesThatSay({ hash: 'said.hash', cameWith: 'said.example_id' })} e
     where said.dataset_id = $1 and said.hash = ${hash} and e.removed_seq >= 9223372036854775807 limit 1),
    ${isPacked(hash)})`;
}

/** Which of these contents, by their hashes in hex, live examples of a dataset have. */
export async function findLiveContents(sql: Sql, datasetId: string, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await sql.query<{ hash: string }>(
    `select distinct encode(hash, 'hex') as hash
       from (select decode(hash, 'hex') as hash from unnest(string_to_array($2, ',')) as sent (hash)) asked
      where ${isAlive('asked.hash')}`,
    [datasetId, hashes.join(',')],
    { name: 'datasets.live_contents' },
  );
  return new Set(rows.map(({ hash }) => hash));
}
