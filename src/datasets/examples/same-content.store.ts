import type { Sql } from '#db';

/**
 * SQL: the example `e` of the dataset `$1` says what has this hash. One index finds it, whatever the statistics say: all that
 * others could find it by is written so that they cannot.
 */
export function saysTheSame(hash: string): string {
  return `example_key(e.dataset_id, e.content_hash) = example_key($1, ${hash}) and e.content_hash = ${hash}
    and e.dataset_id || '' = $1`;
}

/** SQL: such an example is alive. */
export function isAlive(hash: string): string {
  return `(select true from examples e where ${saysTheSame(hash)} and e.removed_seq >= 9223372036854775807 limit 1)`;
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
