import { type Database, monthsBefore, type PartitionedTable } from '#db';
import type { Clock } from '#kernel';
import { claimMarks } from '../usage/sums.store.ts';
import { closeAccounts, lastNumberOf, listAccountsUpTo } from './closing.store.ts';

const accountsAtOnce = 10;

/**
 * The months of the ledger, and of what makes its charges happen once. A month that is not kept is first taken out of the
 * books of every account: their openings have what it adds up to. Its rows are then a table of their own, for the operator
 * to archive.
 *
 * @param keepMonths whole months before this one; null: all.
 */
export function ledgerMonths({
  database,
  clock,
  keepMonths,
}: {
  database: Database;
  clock: Clock;
  keepMonths: number | null;
}): PartitionedTable[] {
  const since = (further: number) => () =>
    keepMonths === null ? null : monthsBefore(clock.nowMs(), keepMonths + further);
  return [
    {
      table: 'ledger',
      key: 'seq',
      keptSince: since(0),
      beforeRemoval: (month, stopped) => closeMonth(database, month, stopped),
      removal: 'detach',
    },
    // A call that is paid for in the month after its own is still recognised when that goes.
    { table: 'ledger_once', key: 'req', keptSince: since(1), removal: 'drop' },
  ];
}

/** A few accounts at a time; what was closed stays closed. False: some are left, because they must be summed up first. */
export async function closeMonth(database: Database, month: Date, stopped?: AbortSignal): Promise<boolean> {
  const last = await lastNumberOf(database, month);
  let isDone = true;
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (stopped?.aborted) return false;
    const ids = await listAccountsUpTo(database, last, { after, limit: accountsAtOnce });
    if (ids.length > 0) {
      const closed = await database.transaction(async (tx) => closeAccounts(tx, await claimMarks(tx, ids), last));
      if (closed.length < ids.length) isDone = false;
    }
    after = ids.at(-1);
  }
  return isDone;
}
