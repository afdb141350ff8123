import type { Sql } from '#db';

/** Takes the newest examples that are not searched into the index; tells how many. Others may do so at the same time. */
export async function indexWords(tx: Sql, { datasetId, limit }: { datasetId: string; limit: number }): Promise<number> {
  const [row] = await tx.query<{ indexed: number }>(
    `with due as (
       select id, added_seq from examples where dataset_id = $1 and not searched
        order by id desc limit $2 for no key update skip locked
     ), indexed as (
       update examples e set searched = true from due
        where e.dataset_id = $1 and e.id = due.id and e.added_seq = due.added_seq
       returning 1
     )
     select count(*)::integer as indexed from indexed`,
    [datasetId, limit],
    { name: 'datasets.index_words', timeoutMs: 60_000 },
  );
  return row?.indexed ?? 0;
}
