import type { Sql } from '#db';
import type { SearchableExample } from './lexemes.ts';

type DatasetChange = { datasetId: string; seq: bigint };

/** `lexemes`: with spaces between. */
export async function insertWords(
  tx: Sql,
  { datasetId, seq }: DatasetChange,
  examples: readonly { id: string; lexemes: string }[],
): Promise<void> {
  await tx.query(
    `insert into example_words (dataset_id, id, added_seq, words)
     select $1, row.id, $2, array_to_tsvector(string_to_array(row.lexemes, ' '))
       from unnest(string_to_array($3, E'\\n'), string_to_array($4, E'\\n')) as row (id, lexemes)`,
    [datasetId, seq, examples.map(({ id }) => id).join('\n'), examples.map(({ lexemes }) => lexemes).join('\n')],
    { name: 'datasets.insert_words', timeoutMs: 120_000 },
  );
}

/** Lets the index gather the words of many examples in its list of pending entries, and take them in together: four times as quick. */
export async function gatherWords(tx: Sql): Promise<void> {
  await tx.query(`select set_config('gin_pending_list_limit', '262144', true)`);
}

export async function flushWords(tx: Sql): Promise<void> {
  await tx.query(`select gin_clean_pending_list('example_words_by_word')`, [], { timeoutMs: 120_000 });
}

export async function insertUnindexed(tx: Sql, { datasetId, seq }: DatasetChange): Promise<void> {
  await tx.query(`insert into unindexed_examples (dataset_id, added_seq, after_id) values ($1, $2, '')`, [
    datasetId,
    seq,
  ]);
}

/** A change some of whose examples are not in the index; locked until the transaction ends. */
export async function lockUnindexed(tx: Sql, datasetId: string): Promise<(DatasetChange & { afterId: string }) | null> {
  const [row] = await tx.query<DatasetChange & { afterId: string }>(
    `select dataset_id as "datasetId", added_seq as seq, after_id as "afterId" from unindexed_examples
      where dataset_id = $1 order by added_seq limit 1 for update`,
    [datasetId],
    { timeoutMs: 120_000 },
  );
  return row ?? null;
}

export function listUnindexedExamples(
  tx: Sql,
  { datasetId, seq, afterId }: DatasetChange & { afterId: string },
  { limit, bytes }: { limit: number; bytes: number },
): Promise<SearchableExample[]> {
  return tx.query<SearchableExample>(
    `select e.id, e.split, e.origin, e.valid, c.content as json
       from (
         select *, sum(bytes) over (order by id) - bytes as bytes_before
           from (select * from examples where dataset_id = $1 and added_seq = $2 and id > $3 order by id limit $4) next
       ) e
       join example_contents c on c.dataset_id = e.dataset_id and c.hash = e.content_hash
      where e.bytes_before < $5
      order by e.id`,
    [datasetId, seq, afterId, limit, bytes],
    { name: 'datasets.list_unindexed', timeoutMs: 60_000 },
  );
}

export async function advanceUnindexed(
  tx: Sql,
  { datasetId, seq, afterId }: DatasetChange & { afterId: string },
): Promise<void> {
  await tx.query('update unindexed_examples set after_id = $3 where dataset_id = $1 and added_seq = $2', [
    datasetId,
    seq,
    afterId,
  ]);
}

export async function deleteUnindexed(tx: Sql, { datasetId, seq }: DatasetChange): Promise<void> {
  await tx.query('delete from unindexed_examples where dataset_id = $1 and added_seq = $2', [datasetId, seq]);
}

export async function hasUnindexed(sql: Sql, { datasetId, seq }: DatasetChange): Promise<boolean> {
  const [row] = await sql.query<{ found: boolean }>(
    'select exists (select from unindexed_examples where dataset_id = $1 and added_seq <= $2) as found',
    [datasetId, seq],
    { name: 'datasets.has_unindexed' },
  );
  return row?.found ?? false;
}

export async function listUnindexedDatasets(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('select distinct dataset_id as id from unindexed_examples');
  return rows.map(({ id }) => id);
}

export async function accountOfDataset(sql: Sql, datasetId: string): Promise<string | null> {
  const [row] = await sql.query<{ accountId: string }>(
    'select p.account_id as "accountId" from datasets d join projects p on p.id = d.project_id where d.id = $1',
    [datasetId],
  );
  return row?.accountId ?? null;
}
