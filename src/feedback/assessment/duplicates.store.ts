import type { Sql } from '#db';

/** Which of these pairs of a query and a passage were promoted within the window, into an example that is still there. */
export async function findPromotedPairs(
  sql: Sql,
  datasetId: string,
  { pairs, windowDays }: { pairs: readonly string[]; windowDays: number },
): Promise<Set<string>> {
  const rows = await sql.query<{ pair: string }>(
    `select distinct encode(p.pair, 'hex') as pair
       from unnest($2::text[]) as requested (pair)
       join promoted_pairs p on p.dataset_id = $1 and p.pair = decode(requested.pair, 'hex')
        and p.promoted_at > now() - make_interval(days => $3)
       join examples e on e.dataset_id = $1 and e.id = p.example_id and e.removed_seq = 9223372036854775807`,
    [datasetId, pairs, windowDays],
    { name: 'feedback.find_promoted_pairs' },
  );
  return new Set(rows.map(({ pair }) => pair));
}

export type PromotedPair = { pair: string; exampleId: string };

export async function insertPromotedPairs(tx: Sql, datasetId: string, pairs: readonly PromotedPair[]): Promise<void> {
  await tx.query(
    `insert into promoted_pairs (dataset_id, pair, example_id)
     select distinct $1, decode(pair, 'hex'), example_id from unnest($2::text[], $3::text[]) as promoted (pair, example_id)`,
    [datasetId, pairs.map(({ pair }) => pair), pairs.map(({ exampleId }) => exampleId)],
  );
}

/** Forgets at most `limit` pairs that are past the window. */
export async function deleteOldPairs(sql: Sql, windowDays: number, limit: number): Promise<number> {
  const rows = await sql.query(
    `with due as (
       select dataset_id, pair, example_id from promoted_pairs
        where promoted_at < now() - make_interval(days => $1) order by promoted_at limit $2 for update skip locked
     )
     delete from promoted_pairs p using due
      where p.dataset_id = due.dataset_id and p.pair = due.pair and p.example_id = due.example_id
     returning p.pair`,
    [windowDays, limit],
  );
  return rows.length;
}
