import { type Database, holdTransaction, type Sql, type Transaction } from '#db';
import {
  forgetContentsAhead,
  hasContents,
  holdContentsAhead,
  lockContents,
  noteContentsAhead,
} from '../../examples/contents-ahead.store.ts';

/**
 * Writes the contents of an import on a second connection, so that two processors of the database work at it. What it
 * writes shows nowhere until examples refer to it, and those are committed last.
 */
export type ContentsBeside = {
  write: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** As the last statements of the transaction of the examples. */
  commit: () => Promise<void>;
  rollback: () => Promise<void>;
};

/** The lock of a process that died is released within moments. */
const lockTimeout = '10s';

/** Null: the dataset has contents, which have to be looked up, or there is no connection. The dataset is locked by `tx`. */
export async function openContentsBeside(
  tx: Transaction,
  { database, datasetId }: { database: Database; datasetId: string },
): Promise<ContentsBeside | null> {
  await holdContentsAhead(tx, datasetId);
  const held = holdTransaction(database);
  const isFree = await held.database
    .transaction(async (side) => {
      await side.query(`select set_config('lock_timeout', $1, true)`, [lockTimeout]);
      await lockContents(side, datasetId);
      return !(await hasContents(side, datasetId));
    })
    .catch(() => false);
  if (!isFree) {
    await held.rollback();
    return null;
  }
  let rest = () => {};
  return {
    async write(work) {
      const written = await held.database.transaction(work);
      rest = keepAwake(held.database);
      return written;
    },
    async commit() {
      rest();
      await held.commit((side) => noteContentsAhead(side, datasetId));
      await forgetContentsAhead(tx, datasetId);
    },
    async rollback() {
      rest();
      await held.rollback();
    },
  };
}

const awakeMs = 10_000;

/** A connection that is idle for long in a transaction may be ended by the database. Whoever needs it next meets its failure. */
export function keepAwake(sql: Sql): () => void {
  const timer = setInterval(() => void sql.query('select').catch(() => {}), awakeMs);
  return () => clearInterval(timer);
}
