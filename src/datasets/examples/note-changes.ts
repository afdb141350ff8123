import type { Sql } from '#db';
import { takeStorage } from '#limits';
import type { LockedDataset } from '../datasets.store.ts';
import { type CountChange, changeCounts } from './example-writes.store.ts';

/**
 * Counts what comes to a locked dataset and leaves it. What leaves stays stored, for versions that have it. Throws `state_conflict` where
 * the account may not store so much.
 */
export async function noteChanges(
  tx: Sql,
  { id, projectId }: Pick<LockedDataset, 'id' | 'projectId'>,
  changes: readonly CountChange[],
): Promise<void> {
  await changeCounts(tx, id, changes);
  const bytes = changes.reduce((sum, { addedBytes }) => sum + addedBytes, 0);
  if (bytes > 0) await takeStorage(tx, { projectId, bytes });
}
