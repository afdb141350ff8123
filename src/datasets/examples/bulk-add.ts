import type { Sql } from '#db';
import { lockForChange } from '../dataset-access.ts';
import { advanceHead } from '../datasets.store.ts';
import { refuseOverflow } from './add-examples.ts';
import { CountChanges } from './count-changes.ts';
import { exampleIds } from './example-ids.ts';
import { changeCounts, type Dedupe, type ExampleRow, insertContents, insertExamples } from './example-writes.store.ts';
import type { StorableExample } from './new-examples.ts';

export type BulkAddition = {
  datasetId: string;
  /** Some at a time, as the source reads them. */
  examples: AsyncIterable<readonly StorableExample[]>;
  dedupe: Dedupe;
  /** Live examples that the dataset may have. */
  maxExamples: number;
  /** Told after each write. */
  onProgress?: (counts: BulkCounts) => void;
};

export type BulkCounts = { added: number; duplicates: number };

/** Rows of one statement: more do not make it quicker, and this bounds what is in memory. */
const batchRows = 2_000;
const batchBytes = 4_000_000;
/** A change of this many at most is in the index when it commits; the words of more follow in the background. */
export const searchedAtOnce = 1_000;

/**
 * Adds any number of examples in one transaction, in the order of the source. The dataset is locked throughout, so that
 * nothing comes in between; readers are not held up. Memory is bounded by a batch. Whoever calls this enqueues the
 * indexing of words in the same transaction.
 */
export async function bulkAdd(tx: Sql, addition: BulkAddition): Promise<BulkCounts> {
  const { datasetId, examples, dedupe, maxExamples, onProgress } = addition;
  const dataset = await lockForChange(tx, datasetId);
  const where = { datasetId, seq: dataset.headSeq + 1n };
  const changes = new CountChanges();
  const counts = { added: 0, duplicates: 0 };
  const write = async (rows: readonly ExampleRow[]) => {
    await insertContents(tx, datasetId, rows);
    const added = await insertExamples(tx, where, { rows, dedupe });
    for (const { id, example } of rows) if (added.has(id)) changes.add(example);
    counts.added += added.size;
    counts.duplicates += rows.length - added.size;
    refuseOverflow({ actual: dataset.examples + counts.added, maxExamples });
    onProgress?.({ ...counts });
  };
  await overlapped(batches(examples), write);
  if (counts.added === 0) return counts;
  await changeCounts(tx, datasetId, changes.list());
  await advanceHead(tx, { ...where, unsearched: counts.added > searchedAtOnce });
  return counts;
}

/** Works at one item while the source makes the next. */
async function overlapped<Item>(source: AsyncIterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
  let working = Promise.resolve();
  try {
    for await (const item of source) {
      await working;
      working = work(item);
      // It is waited for below, or where the next item is.
      working.catch(() => {});
    }
  } finally {
    await working;
  }
}

async function* batches(source: AsyncIterable<readonly StorableExample[]>): AsyncGenerator<ExampleRow[]> {
  const nextId = exampleIds();
  let rows: ExampleRow[] = [];
  let bytes = 0;
  let made = 0;
  for await (const examples of source)
    for (const example of examples) {
      rows.push({ id: nextId(), example, searched: made++ < searchedAtOnce });
      bytes += example.bytes;
      if (rows.length < batchRows && bytes < batchBytes) continue;
      yield rows;
      rows = [];
      bytes = 0;
    }
  if (rows.length > 0) yield rows;
}
