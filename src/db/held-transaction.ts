import type { Database, Sql, Transaction } from './database.ts';

/**
 * A transaction that is committed or rolled back by another part of the program than the one that works in it. It
 * begins with the first statement; without one, `rollback` does nothing.
 */
export type HeldTransaction = {
  /** Works in the transaction: statements run one after the other, and transactions in it are savepoints. */
  database: Database;
  /** Does `last` in the transaction and commits. When that fails, nothing of the transaction stays. */
  commit: (last: (tx: Sql) => Promise<void>) => Promise<void>;
  rollback: () => Promise<void>;
};

export function holdTransaction(database: Database): HeldTransaction {
  const decision = Promise.withResolvers<(tx: Sql) => Promise<void>>();
  // Nobody waits for it when the transaction never begins.
  decision.promise.catch(() => {});
  let opened: { tx: Promise<Transaction>; ended: Promise<void> } | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let isOver = false;

  function open() {
    const begun = Promise.withResolvers<Transaction>();
    const ended = database.transaction(async (tx) => {
      begun.resolve(tx);
      await (await decision.promise)(tx);
    });
    ended.catch(begun.reject);
    begun.promise.catch(() => {});
    return { tx: begun.promise, ended };
  }

  /** A connection takes one statement at a time; a failed one must not spoil the transaction for its caller. */
  function inTurn<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    if (isOver) throw new Error('This transaction is over. This is a bug.');
    opened ??= open();
    const { tx } = opened;
    const result = turn.then(async () => withSavepoint(await tx, work));
    turn = result.catch(() => {});
    return result;
  }

  return {
    database: {
      url: database.url,
      close: database.close,
      connections: database.connections,
      query: (text, values, options) => inTurn((tx) => tx.query(text, values, options)),
      transaction: (work) => inTurn(work),
    },
    async commit(last) {
      isOver = true;
      await turn;
      opened ??= open();
      decision.resolve(last);
      await opened.ended;
    },
    async rollback() {
      isOver = true;
      await turn;
      decision.reject(new Error('The transaction was abandoned.'));
      // However it ended, nothing of it stays.
      await opened?.ended.catch(() => {});
    },
  };
}

async function withSavepoint<T>(tx: Transaction, work: (tx: Transaction) => Promise<T>): Promise<T> {
  await tx.query('savepoint held');
  try {
    const result = await work(tx);
    await tx.query('release savepoint held');
    return result;
  } catch (error) {
    await tx.query('rollback to savepoint held').catch(() => {});
    throw error;
  }
}
