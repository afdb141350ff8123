import type { Sql } from '#db';

/** Behind every change: the live state. */
const now = 9223372036854775806n;

/** How many valid examples of a state (null: the live one) have more tokens than this. Those that were not counted are not among them. */
export async function countLongExamples(
  sql: Sql,
  { datasetId, seq, tokens }: { datasetId: string; seq: bigint | null; tokens: number },
): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from examples
      where dataset_id = $1 and added_seq <= $2 and removed_seq > $2 and valid and tokens > $3`,
    [datasetId, seq ?? now, tokens],
    { name: 'datasets.count_long_examples' },
  );
  return row?.total ?? 0;
}
