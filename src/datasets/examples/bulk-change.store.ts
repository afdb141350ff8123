import type { Sql } from '#db';
import type { CountedExample } from './example-writes.store.ts';
import type { Split } from './new-examples.ts';

type DatasetChange = { datasetId: string; seq: bigint };

export async function listLiveIds(tx: Sql, datasetId: string, ids: readonly string[]): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `select id from examples where dataset_id = $1 and id = any($2) and removed_seq = 9223372036854775807`,
    [datasetId, ids],
    { name: 'datasets.list_live_ids' },
  );
  return rows.map(({ id }) => id);
}

/** Ends the life of these examples of a locked dataset; of those alone that are not in the split already. */
export function closeExamples(
  tx: Sql,
  { datasetId, seq }: DatasetChange,
  { ids, notIn }: { ids: readonly string[]; notIn: Split | null },
): Promise<(CountedExample & { id: string })[]> {
  return tx.query<CountedExample & { id: string }>(
    `update examples set removed_seq = $2
      where dataset_id = $1 and id = any($3) and removed_seq = 9223372036854775807 and ($4::text is null or split <> $4)
     returning id, split, origin, valid, tokens, bytes`,
    [datasetId, seq, ids, notIn],
    { name: 'datasets.close_examples' },
  );
}

/** The examples that this change has closed live on in another split. */
export async function reopenInSplit(tx: Sql, { datasetId, seq }: DatasetChange, split: Split, ids: readonly string[]) {
  await tx.query(
    `insert into examples (dataset_id, id, added_seq, content_hash, bytes, split, origin, origin_id, tokens, valid, issues,
       updated_at)
     select dataset_id, id, removed_seq, content_hash, bytes, $3, origin, origin_id, tokens, valid, issues, now()
       from examples where dataset_id = $1 and id = any($4) and removed_seq = $2`,
    [datasetId, seq, split, ids],
    { name: 'datasets.reopen_in_split' },
  );
}
