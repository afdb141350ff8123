import type { Sql } from '#db';
import { fault } from '#kernel';
import { advanceHead, type LockedDataset } from '../datasets.store.ts';
import { CountChanges } from './count-changes.ts';
import { changeCounts, closeExample, insertContents, insertExamples } from './example-writes.store.ts';
import type { StorableExample } from './new-examples.ts';

/**
 * Puts another content or split in the place of an example of a locked dataset, under the same id. Versions keep what
 * they have. Throws `not_found` when somebody has removed it meanwhile.
 */
export async function replaceExample(
  tx: Sql,
  dataset: LockedDataset,
  { id, example }: { id: string; example: StorableExample },
): Promise<void> {
  const changes = new CountChanges();
  const where = await close(tx, dataset, { id, changes });
  const rows = [{ id, example, searched: true }];
  await insertContents(tx, dataset.id, rows);
  await insertExamples(tx, where, { rows, dedupe: 'none' });
  changes.add(example);
  await changeCounts(tx, dataset.id, changes.list());
  await advanceHead(tx, where);
}

/** Removes an example of a locked dataset from its head. Versions keep it. Throws `not_found`. */
export async function removeExample(tx: Sql, dataset: LockedDataset, id: string): Promise<void> {
  const changes = new CountChanges();
  const where = await close(tx, dataset, { id, changes });
  await changeCounts(tx, dataset.id, changes.list());
  await advanceHead(tx, where);
}

async function close(
  tx: Sql,
  { id: datasetId, headSeq }: LockedDataset,
  { id, changes }: { id: string; changes: CountChanges },
): Promise<{ datasetId: string; seq: bigint }> {
  const where = { datasetId, seq: headSeq + 1n };
  const closed = await closeExample(tx, { ...where, id });
  if (!closed) throw noSuchExample();
  changes.remove(closed);
  return where;
}

export function noSuchExample() {
  return fault('not_found', { message: 'There is no such example in this dataset.' });
}
