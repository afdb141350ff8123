import type { Sql } from '#db';

/** Examples that came in one large change, by their places in it. */
export type Addition = {
  seq: bigint;
  firstId: string;
  examples: number;
  /** The place behind the last of each block; what comes after these is read one by one. */
  blockEnds: number[];
};

const columns = `seq, first_id as "firstId", examples, block_ends as "blockEnds"`;

type NewAddition = Pick<Addition, 'seq' | 'firstId' | 'examples'> & { datasetId: string };

/** In the transaction of the change. */
export async function noteAddition(tx: Sql, { datasetId, seq, firstId, examples }: NewAddition): Promise<void> {
  await tx.query('insert into example_additions (dataset_id, seq, first_id, examples) values ($1, $2, $3, $4)', [
    datasetId,
    seq,
    firstId,
    examples,
  ]);
}

/**
 * Notes what a server of the version before has added, which tells it by examples that are not searched and says no more:
 * it can only run while servers of both versions do. It reads all examples from an id on.
 */
export async function noteUnknownAdditions(sql: Sql, datasetId: string, fromId: string): Promise<void> {
  await sql.query(
    `insert into example_additions (dataset_id, seq, first_id, examples)
     select $1, added_seq, left(min(id), -7) || '0000000', count(*)
       from examples e
      where dataset_id = $1 and id >= $2
        and added_seq in (select added_seq from examples where dataset_id = $1 and id >= $2 and not searched
                          except select seq from example_additions where dataset_id = $1)
      group by added_seq
     on conflict do nothing`,
    [datasetId, fromId],
    { timeoutMs: 120_000 },
  );
}

/** Newest examples first. */
export function listAdditions(sql: Sql, { datasetId, seq }: { datasetId: string; seq: bigint }): Promise<Addition[]> {
  return sql.query<Addition>(
    `select ${columns} from example_additions where dataset_id = $1 and seq <= $2 order by first_id desc`,
    [datasetId, seq],
    { name: 'datasets.list_additions' },
  );
}

export async function findUnsearchedAddition(sql: Sql, datasetId: string): Promise<Addition | null> {
  const [row] = await sql.query<Addition>(
    `select ${columns} from example_additions where dataset_id = $1 and not is_searched order by seq limit 1`,
    [datasetId],
  );
  return row ?? null;
}

/** Datasets with additions that are not in blocks, or may be. */
export async function listUnsearched(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'select distinct dataset_id as id from example_additions where not is_searched',
  );
  return rows.map(({ id }) => id);
}

/** Appends a block to an addition; false: somebody else has appended one there. */
export async function appendBlock(
  tx: Sql,
  { datasetId, seq, first, end }: { datasetId: string; seq: bigint; first: number; end: number },
): Promise<boolean> {
  const rows = await tx.query(
    `update example_additions set block_ends = block_ends || $4::integer, blocks_made = blocks_made + 1
      where dataset_id = $1 and seq = $2 and coalesce(block_ends[cardinality(block_ends)], 0) = $3 returning 1`,
    [datasetId, seq, first, end],
  );
  return rows.length > 0;
}

/** Whose dataset it is; null: there is none. */
export async function accountOfDataset(sql: Sql, datasetId: string): Promise<string | null> {
  const [row] = await sql.query<{ accountId: string }>(
    'select p.account_id as "accountId" from datasets d join projects p on p.id = d.project_id where d.id = $1',
    [datasetId],
  );
  return row?.accountId ?? null;
}
