import type { Sql } from '#db';

/** Which of these contents live examples of a dataset have, as hashes in hex. */
export async function findLiveHashes(sql: Sql, datasetId: string, hashes: readonly Buffer[]): Promise<Set<string>> {
  if (hashes.length === 0) return new Set();
  const rows = await sql.query<{ hash: string }>(
    `select distinct encode(content_hash, 'hex') as hash from examples
      where dataset_id = $1 and removed_seq >= 9223372036854775807
        and content_hash = any(array(select decode(hash, 'hex') from unnest(string_to_array($2, ',')) as asked (hash)))`,
    [datasetId, hashes.map((hash) => hash.toString('hex')).join(',')],
    { name: 'imports.live_hashes' },
  );
  return new Set(rows.map(({ hash }) => hash));
}
