import type { Sql } from '#db';
import { columns, content, type ExamplePage, type ListedExample } from '../examples/example-list.store.ts';

export type ExampleSearch = { datasetId: string; seq: bigint; tsquery: string };

/** SQL: an example whose words match is in the state. It is looked up by the primary key, whatever the statistics say. */
const isInState = `w.added_seq <= $2 and (
  select e.removed_seq > $2 from examples e
   where e.dataset_id = w.dataset_id and e.id = w.id and e.added_seq = w.added_seq)`;

/**
 * For this transaction: a scan of the whole table would go through other people's datasets. The planner thinks that rows of
 * a frequent word are everywhere, and does not know that those of a dataset lie together.
 */
export async function avoidTableScans(tx: Sql): Promise<void> {
  await tx.query(`select set_config('enable_seqscan', 'off', true)`);
}

// Statements have no names, so that they are planned for their words: the planner knows which are frequent.

export async function countMatches(tx: Sql, { datasetId, seq, tsquery }: ExampleSearch, most: number): Promise<number> {
  const [row] = await tx.query<{ total: number }>(
    `select count(*)::integer as total from (
       select from example_words w where w.dataset_id = $1 and w.words @@ $3::tsquery and ${isInState} limit $4
     ) found`,
    [datasetId, seq, tsquery, most],
  );
  return row?.total ?? 0;
}

/** Few examples match: the index gives all of them, and the newest are taken. */
export function listRare(
  tx: Sql,
  { datasetId, seq, tsquery }: ExampleSearch,
  { before, limit }: ExamplePage,
): Promise<ListedExample[]> {
  return listMatches(tx, [datasetId, seq, tsquery, before, limit], {
    matches: `select w.* from example_words w where w.dataset_id = $1 and w.words @@ $3::tsquery`,
    condition: 'w.id < $4',
  });
}

/** Many examples match: reading from the newest on soon finds enough of them. */
export function listFrequent(
  tx: Sql,
  { datasetId, seq, tsquery }: ExampleSearch,
  { before, limit }: ExamplePage,
): Promise<ListedExample[]> {
  return listMatches(tx, [datasetId, seq, tsquery, before, limit], {
    matches: `select w.* from example_words w where w.dataset_id = $1 and w.id < $4 order by w.id desc`,
    condition: 'w.words @@ $3::tsquery',
  });
}

/** With `offset 0` each part is planned for itself. */
function listMatches(
  tx: Sql,
  values: readonly unknown[],
  { matches, condition }: { matches: string; condition: string },
): Promise<ListedExample[]> {
  return tx.query<ListedExample>(
    `select ${columns}
       from (
         select w.* from (${matches} offset 0) w where ${condition} and ${isInState} order by w.id desc limit $5
       ) found
       join examples e on e.dataset_id = found.dataset_id and e.id = found.id and e.added_seq = found.added_seq
       ${content}
      order by e.id desc`,
    values,
  );
}
