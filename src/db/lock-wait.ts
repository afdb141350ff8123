import type pg from 'pg';
import type { Deadlines } from './deadlines.ts';

/** Ends what a connection does, if it waits for a lock. */
const endWaitForLock = `select pg_cancel_backend(pid) from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'`;

type LockWait = {
  client: pg.PoolClient;
  lockMs: number;
  connect: () => Promise<pg.PoolClient>;
  deadlines: Deadlines;
};

/**
 * Runs the one statement of a connection, and ends it where it waits for a lock for longer than `lockMs`: it fails with 57014
 * (query canceled) and has done nothing. PostgreSQL has a setting for that, which costs more (ADR 0043). The connection is
 * kept until the question whether it waits is answered, so that no other statement is ended in the place of this one.
 */
export async function withinLockWait<T>(
  { client, lockMs, connect, deadlines }: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  let [isOver, isAsking] = [false, false];
  let asked: Promise<unknown> | null = null;

  async function askToEnd(): Promise<void> {
    isAsking = true;
    try {
      const other = await connect();
      try {
        asked = isOver ? null : other.query(endWaitForLock, [processOf(client)]);
        await asked;
      } finally {
        other.release();
      }
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
    if (asked !== null) await Promise.allSettled([asked]);
  }
}

/** The process of PostgreSQL behind a connection, as the driver keeps it. */
function processOf(client: pg.PoolClient): number | null {
  const pid: unknown = Reflect.get(client, 'processID');
  return typeof pid === 'number' ? pid : null;
}
