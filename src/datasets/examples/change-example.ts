import type { Sql, Transaction } from '#db';
import { fault } from '#kernel';
import { advanceHead, type LockedDataset } from '../datasets.store.ts';
import { indexExamples } from '../search/index-examples.ts';
import { CountChanges, recordCountChanges } from './count-changes.ts';
import { findExample, type ListedExample } from './example-list.store.ts';
import { closeExample, copyRowsOf, findContents } from './example-writes.store.ts';
import type { Split, StorableExample } from './new-examples.ts';

/** What becomes of an example; undefined: that stays as it is. */
export type ExampleChange = { content: StorableExample | undefined; split: Split | undefined };

/**
 * Puts another content or split in the place of an example of a locked dataset, under the same id. Versions keep what
 * they have. What is as requested already stays as it is. Throws `not_found`.
 */
export async function changeExample(
  tx: Transaction,
  dataset: LockedDataset,
  { id, change }: { id: string; change: ExampleChange },
): Promise<ListedExample> {
  const before = await find(tx, dataset.id, id);
  const next = merged(before, change);
  if (next.hash.equals(before.hash) && next.split === before.split) return before;
  const changes = new CountChanges();
  const where = await close(tx, dataset, { id, changes });
  const known = await findContents(tx, dataset.id, [next.hash]);
  const contents = known.get(next.hash.toString('hex'))?.isStored ? [] : [next];
  await copyRowsOf(where, { kind: dataset.kind, contents, rows: [{ id, example: next }] }, { isChange: true }).write(
    tx,
  );
  await indexExamples(tx, where, [{ ...next, id }]);
  changes.add(next, { isStored: next.hash.equals(before.hash) });
  await recordCountChanges(tx, dataset, changes.list());
  await advanceHead(tx, where);
  return find(tx, dataset.id, id);
}

/** Under the dataset's lock, so that two changes of different parts both stay. */
function merged(before: ListedExample, { content, split = before.split }: ExampleChange): StorableExample {
  const { json, hash, tokens, valid, issues, origin, originId } = before;
  if (content) return { ...content, split, origin, originId };
  return { json, bytes: Buffer.byteLength(json), hash, split, origin, originId, tokens, valid, issues };
}

async function find(sql: Sql, datasetId: string, id: string): Promise<ListedExample> {
  const example = await findExample(sql, datasetId, id);
  if (!example) throw noSuchExample();
  return example;
}

/** Removes an example of a locked dataset from its head. Versions keep it. Throws `not_found`. */
export async function removeExample(tx: Sql, dataset: LockedDataset, id: string): Promise<void> {
  const changes = new CountChanges();
  const where = await close(tx, dataset, { id, changes });
  await recordCountChanges(tx, dataset, changes.list());
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
