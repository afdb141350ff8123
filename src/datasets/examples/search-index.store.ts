import type { Sql } from '#db';

/** Room for the words of a batch, before they are sorted into the index together. */
const pendingBytes = '64MB';
const timeoutMs = 120_000;

/**
 * Takes the newest examples that are not searched into the index; tells how many. Their words wait in its list of pending
 * entries until `mergeWords`. Others may do so at the same time.
 */
export async function indexWords(tx: Sql, { datasetId, limit }: { datasetId: string; limit: number }): Promise<number> {
  await tx.query(`select set_config('gin_pending_list_limit', $1, true)`, [pendingBytes]);
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
    { name: 'datasets.index_words', timeoutMs },
  );
  return row?.indexed ?? 0;
}

/** Sorts pending words into the index: many at once take a third of the time, and searches read the list one by one. */
export async function mergeWords(sql: Sql): Promise<void> {
  await sql.query(`select gin_clean_pending_list('examples_search')`, [], { timeoutMs });
}

/** Tells whether all examples of a locked dataset are in the index, and notes it. */
export async function noteAllSearched(tx: Sql, datasetId: string): Promise<boolean> {
  const rows = await tx.query(
    `update datasets set unsearched = false
      where id = $1 and not exists (select from examples where dataset_id = $1 and not searched) returning 1`,
    [datasetId],
  );
  return rows.length > 0;
}

/** Datasets whose examples are not all in the index. */
export async function listUnsearched(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('select id from datasets where unsearched');
  return rows.map(({ id }) => id);
}
