import type { Sql, Transaction } from '#db';

/**
 * A lock for adding many contents to a dataset. If the process of an earlier addition died, this waits until the
 * database has noticed that.
 */
export async function lockContents(tx: Sql, datasetId: string): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('contents of ' || $1, 0))`, [datasetId]);
}

/** Whether a dataset has contents, including those that no example refers to. */
export async function hasContents(sql: Sql, datasetId: string): Promise<boolean> {
  const [row] = await sql.query<{ found: boolean }>(
    'select exists (select from example_contents where dataset_id = $1) as found',
    [datasetId],
  );
  return row?.found ?? false;
}

/*
 * Servers of earlier versions wrote the contents of a large first import in a transaction of their own, beside their examples, with
 * a note. Where a process died between the two commits, contents were left that belong to nothing.
 */

/** Datasets with contents that were left, or are ahead while a server of an earlier version runs. */
export async function listContentsAhead(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('select dataset_id as id from example_contents_ahead');
  return rows.map(({ id }) => id);
}

/**
 * Deletes some contents that were left of a dataset that came to nothing; false: nothing is left to do. Those of a dataset that
 * there is stay: its next import is likely to be the same.
 */
export async function deleteContentsLeft(tx: Transaction, datasetId: string, limit: number): Promise<boolean> {
  const [row] = await tx.query<{ left: boolean }>(
    `select pg_try_advisory_xact_lock(hashtextextended('contents ahead of ' || $1, 0)) as left`,
    [datasetId],
  );
  if (!row?.left) return false;
  // In a statement after the lock: the transaction that held it may have committed just now.
  const deleted = await tx.query(
    `delete from example_contents
      where dataset_id = $1 and not dataset_exists($1)
        and hash = any(array(select hash from example_contents where dataset_id = $1 order by hash limit $2))
     returning 1`,
    [datasetId, limit],
  );
  if (deleted.length > 0) return true;
  await tx.query('delete from example_contents_ahead where dataset_id = $1', [datasetId]);
  return false;
}
