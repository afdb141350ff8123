import type { Sql } from '#db';

/**
 * SQL: the examples of the dataset `$1` whose content has this hash. The dataset is compared so that no other index can be
 * chosen, whatever the statistics say.
 */
export function examplesWithContent(hash: string): string {
  return `(
    select * from examples e
     where example_content_key(e.dataset_id, e.content_hash) = example_content_key($1, ${hash})
       and e.content_hash = ${hash} and e.dataset_id || '' = $1
    offset 0)`;
}

/** SQL: such an example is alive. */
export function isAlive(hash: string): string {
  return `(select true from ${examplesWithContent(hash)} e where e.removed_seq >= 9223372036854775807 limit 1)`;
}

/** Which of these contents, by their hashes in hex, live examples of a dataset have. */
export async function findLiveContents(sql: Sql, datasetId: string, hashes: readonly string[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await sql.query<{ hash: string }>(
    `select distinct encode(hash, 'hex') as hash
       from (select decode(hash, 'hex') as hash from unnest(string_to_array($2, ',')) as sent (hash)) requested
      where ${isAlive('requested.hash')}`,
    [datasetId, hashes.join(',')],
    { name: 'datasets.live_contents' },
  );
  return new Set(rows.map(({ hash }) => hash));
}
