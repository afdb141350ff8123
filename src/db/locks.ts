import type { Sql } from './database.ts';

/** Advisory locks of this program: what only one replica may do at a time. The numbers are arbitrary but never change. */
const locks = { migrate: 4_662_001n, testTemplate: 4_662_002n, firstStart: 4_662_003n, months: 4_662_004n };

const timeoutMs = 30 * 60_000;

/** Waits for the others that hold this lock; the end of the transaction gives it back. */
export async function lockUntilCommit(tx: Sql, lock: keyof typeof locks): Promise<void> {
  await tx.query('select pg_advisory_xact_lock($1)', [locks[lock]], { timeoutMs });
}
