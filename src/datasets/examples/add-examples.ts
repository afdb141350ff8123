import type { Sql } from '#db';
import { ascendingIds, fault } from '#kernel';
import type { Issue } from '../content/issues.ts';
import { lockForChange } from '../dataset-access.ts';
import { advanceHead, type LockedDataset } from '../datasets.store.ts';
import { indexExamples } from '../search/index-examples.ts';
import { CountChanges, recordCountChanges } from './count-changes.ts';
import { type Dedupe, type ExampleRow, insertContents, insertExamples } from './example-writes.store.ts';
import type { PreparedExample } from './new-examples.ts';

export type AddedExample = {
  status: 'created' | 'duplicate' | 'rejected';
  /** Null unless it was created. */
  id: string | null;
  issues: readonly Issue[];
};

export type Addition = {
  datasetId: string;
  examples: readonly PreparedExample[];
  /** `exact`: content that a live example has already is left out. */
  dedupe: Dedupe;
  /** Live examples that the dataset may have. */
  maxExamples: number;
};

/**
 * Adds examples to a dataset, each independently: one that is wrong or a duplicate does not keep out the others. The
 * dataset stays locked until the transaction ends. Throws `not_found`, `in_use`, and `state_conflict` (archived, or
 * full).
 */
export async function addExamples(tx: Sql, { datasetId, examples, ...rule }: Addition): Promise<AddedExample[]> {
  const dataset = await lockForChange(tx, datasetId);
  const nextId = ascendingIds('ex');
  const rows = examples.map(({ example }) => (example ? { id: nextId(), example } : null));
  const added = await append(tx, dataset, { rows: rows.filter((row) => row !== null), ...rule });
  return examples.map(({ issues }, index): AddedExample => {
    const row = rows[index];
    if (!row) return { status: 'rejected', id: null, issues };
    return added.has(row.id) ? { status: 'created', id: row.id, issues } : { status: 'duplicate', id: null, issues };
  });
}

async function append(
  tx: Sql,
  dataset: LockedDataset,
  { rows, dedupe, maxExamples }: { rows: readonly ExampleRow[]; dedupe: Dedupe; maxExamples: number },
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const where = { datasetId: dataset.id, seq: dataset.headSeq + 1n };
  await insertContents(
    tx,
    dataset.id,
    rows.map(({ example }) => example),
  );
  const added = await insertExamples(tx, where, { rows, dedupe });
  refuseOverflow({ actual: dataset.examples + added.size, maxExamples });
  if (added.size === 0) return added;
  const changes = new CountChanges();
  const addedRows = rows.filter(({ id }) => added.has(id));
  for (const { example } of addedRows) changes.add(example);
  await indexExamples(
    tx,
    where,
    addedRows.map(({ id, example }) => ({ ...example, id })),
  );
  await recordCountChanges(tx, dataset, changes.list());
  await advanceHead(tx, where);
  return added;
}

/** Throws `state_conflict` when a dataset would have more live examples than it may. */
export function refuseOverflow({ actual, maxExamples }: { actual: number; maxExamples: number }): void {
  if (actual <= maxExamples) return;
  throw fault('state_conflict', {
    message: `The dataset would have ${actual} examples and may have ${maxExamples}.`,
    details: { reason: 'max_examples_per_dataset', limit: maxExamples, actual },
  });
}
