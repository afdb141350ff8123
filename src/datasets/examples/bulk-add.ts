import type { Transaction } from '#db';
import { lockForChange } from '../dataset-access.ts';
import { indexAddition } from '../search/index-examples.ts';
import { type Dedupe, ExampleAdder } from './add-examples.ts';
import type { StorableExample } from './new-examples.ts';

export type BulkAddition = {
  datasetId: string;
  examples: AsyncIterable<readonly StorableExample[]>;
  dedupe: Dedupe;
  maxExamples: number;
  onAdded?: (examples: readonly StorableExample[]) => Promise<void>;
};

export type BulkCounts = { added: number; duplicates: number };

/** Rows of one statement: more do not make it quicker, and this bounds what is in memory. */
const batchRows = 4_000;
const batchBytes = 4_000_000;

/**
 * Adds any number of examples in one transaction, in the order of the source. The dataset is locked throughout, so that
 * nothing comes in between; readers are not held up. Memory is bounded by a batch. Whoever calls this enqueues the
 * indexing of words in the same transaction.
 */
export async function bulkAdd(
  tx: Transaction,
  { datasetId, examples, onAdded, ...rule }: BulkAddition,
): Promise<BulkCounts> {
  const adder = new ExampleAdder(tx, await lockForChange(tx, datasetId), rule);
  let duplicates = 0;
  let writing = Promise.resolve();
  try {
    for await (const batch of batches(examples)) {
      const { rows, encoded } = await adder.choose(batch);
      duplicates += batch.length - rows.length;
      await onAdded?.(rows.map(({ example }) => example));
      await writing;
      // The next batch is read and chosen meanwhile.
      writing = encoded.write(tx);
      writing.catch(() => {});
    }
  } finally {
    await writing;
  }
  const { added, change } = adder;
  if (added > 0) {
    await adder.finish();
    await indexAddition(tx, change, { added });
  }
  return { added, duplicates };
}

async function* batches(source: AsyncIterable<readonly StorableExample[]>): AsyncGenerator<StorableExample[]> {
  let batch: StorableExample[] = [];
  let bytes = 0;
  for await (const examples of source)
    for (const example of examples) {
      batch.push(example);
      bytes += example.bytes;
      if (batch.length < batchRows && bytes < batchBytes) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  if (batch.length > 0) yield batch;
}
