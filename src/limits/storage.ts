import { type Actor, recordActivity } from '#activity';
import type { Database, Sql } from '#db';
import { type Fault, fault } from '#kernel';
import { addStorage, findStorage, lockStorageLimit, type Storage, updateStorageLimit } from './storage.store.ts';

/**
 * Counts what is to be stored in a project, in the transaction that stores it: of two at once, the second sees what the first has taken.
 * Throws `state_conflict` where it is more than the account may store.
 */
export async function takeStorage(tx: Sql, taken: { projectId: string; bytes: number }): Promise<void> {
  const { usedBytes, mostBytes } = await addStorage(tx, taken);
  if (mostBytes !== null && usedBytes > mostBytes) throw full({ usedBytes, mostBytes }, 'would store');
}

/** For work whose result is stored whatever it comes to. Throws `state_conflict` where the account has no room left. */
export async function refuseFullStorage(sql: Sql, accountId: string): Promise<void> {
  const { usedBytes, mostBytes } = await findStorage(sql, accountId);
  if (mostBytes !== null && usedBytes >= mostBytes) throw full({ usedBytes, mostBytes }, 'stores');
}

function full({ usedBytes, mostBytes }: Storage, stores: string): Fault {
  return fault('state_conflict', {
    message: `The account ${stores} ${usedBytes} bytes, and its limit storage_bytes is ${mostBytes}. Files of imports go a day after their end, those that have not arrived when the import is canceled; only the operator can raise the limit.`,
    details: { reason: 'max_storage', limit: Number(mostBytes), actual: Number(usedBytes) },
  });
}

/** Sets what an account may store; null lifts the limit. What is stored already stays. */
export function changeStorageLimit(
  database: Database,
  { accountId, mostBytes, actor }: { accountId: string; mostBytes: bigint | null; actor: Actor },
): Promise<void> {
  return database.transaction(async (tx) => {
    const before = await lockStorageLimit(tx, accountId);
    if (before.mostBytes === mostBytes) return;
    await updateStorageLimit(tx, accountId, mostBytes);
    await recordActivity(tx, {
      accountId,
      type: 'limits.changed',
      actor,
      subject: { kind: 'account', id: accountId, label: before.slug },
      message: 'What the operator lets the account store was changed.',
      data: { storage_bytes: mostBytes === null ? null : Number(mostBytes) },
    });
  });
}
