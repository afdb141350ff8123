import type pg from 'pg';
import type { Deadlines } from './deadlines.ts';

/** Ends what a connection does, if it waits for a lock. */
const endWaitForLock = `select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`;

/** Longest wait for the answer to that. PostgreSQL gives it at once, unless it gives none any more. */
const answerMs = 2_000;

type LockWait = {
  /** Given up where nobody knows any more what PostgreSQL is still to do with it. */
  connection: { client: pg.PoolClient; broken: boolean };
  lockMs: number;
  connect: () => Promise<pg.PoolClient>;
  deadlines: Deadlines;
};

/**
 * Runs the one statement of a connection, and ends it where it waits for a lock for longer than `lockMs`: it fails with 57014
 * (query canceled) and has done nothing. PostgreSQL has a setting for that, which costs more (ADR 0043). The connection is
 * kept until the question whether it waits is answered, so that no other statement is ended in the place of this one; where
 * no answer comes, it is given up.
 */
export async function withinLockWait<T>(
  { connection, lockMs, connect, deadlines }: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  let [isOver, isAsking] = [false, false];
  let asked: Promise<void> | null = null;

  async function askToEnd(): Promise<void> {
    isAsking = true;
    try {
      const other = await connect();
      if (isOver) return other.release();
      asked = ask(other, connection);
      await asked;
    } catch {
      // Then the statement waits for as long as it may.
    } finally {
      isAsking = false;
    }
  }

  const deadline = deadlines.add(lockMs, () => {
    if (!isAsking) void askToEnd();
  });
  try {
    return await work();
  } finally {
    isOver = true;
    deadline.end();
    if (asked !== null) await asked;
  }
}

/** Never rejects. */
async function ask(other: pg.PoolClient, connection: LockWait['connection']): Promise<void> {
  const question: pg.QueryConfig & { query_timeout: number } = {
    text: endWaitForLock,
    values: [processOf(connection.client)],
    query_timeout: answerMs,
  };
  try {
    await other.query(question);
    other.release();
  } catch {
    connection.broken = true;
    other.release(true);
  }
}

/** The process of PostgreSQL behind a connection, as the driver keeps it. */
function processOf(client: pg.PoolClient): number | null {
  const pid: unknown = Reflect.get(client, 'processID');
  return typeof pid === 'number' ? pid : null;
}
