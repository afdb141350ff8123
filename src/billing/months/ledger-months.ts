import { type Database, monthsBefore, type PartitionedTable } from '#db';
import type { Clock } from '#kernel';
import { claimMarks } from '../usage/sums.store.ts';
import { lastNumberOf, listAccountsUpTo, moveToPartitionBalances } from './partition-balances.store.ts';

const accountsAtOnce = 10;

/**
 * The months of the ledger, and of what makes its charges happen once. Before a month is detached, its rows
 * are added to the partition balance of every account. They are then a table of their own, for the operator to archive.
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
      beforeRemoval: (month, stopped) => moveMonthToPartitionBalances(database, month, stopped),
      removal: 'detach',
    },
    // A call that was charged in the month after its own is still found when that month is removed.
    { table: 'ledger_once', key: 'req', keptSince: since(1), removal: 'drop' },
  ];
}

/** A few accounts at a time, each batch in its own transaction. False: some are left, because they must be summed up first. */
export async function moveMonthToPartitionBalances(
  database: Database,
  month: Date,
  stopped?: AbortSignal,
): Promise<boolean> {
  const last = await lastNumberOf(database, month);
  let isDone = true;
  for (let after: string | undefined = ''; after !== undefined; ) {
    if (stopped?.aborted) return false;
    const ids = await listAccountsUpTo(database, last, { after, limit: accountsAtOnce });
    if (ids.length > 0) {
      const moved = await database.transaction(async (tx) =>
        moveToPartitionBalances(tx, await claimMarks(tx, ids), last),
      );
      if (moved.length < ids.length) isDone = false;
    }
    after = ids.at(-1);
  }
  return isDone;
}
