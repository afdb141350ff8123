import type { Transaction } from '#db';
import { ascendingIds, SeenHashes } from '#kernel';
import { lockForChange } from '../dataset-access.ts';
import { advanceHead } from '../datasets.store.ts';
import { indexAddition } from '../search/index-examples.ts';
import { refuseOverflow } from './add-examples.ts';
import {
  copyContents,
  copyExamples,
  encodeContents,
  encodeExamples,
  findContents,
  type KnownContent,
} from './bulk-writes.store.ts';
import { CountChanges, recordCountChanges } from './count-changes.ts';
import type { Dedupe, ExampleRow } from './example-writes.store.ts';
import type { StorableExample } from './new-examples.ts';

export type BulkAddition = {
  datasetId: string;
  /** Some at a time, as the source reads them. */
  examples: AsyncIterable<readonly StorableExample[]>;
  dedupe: Dedupe;
  /** Live examples that the dataset may have. */
  maxExamples: number;
  /** Called with the examples that are no duplicates. */
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
export async function bulkAdd(tx: Transaction, addition: BulkAddition): Promise<BulkCounts> {
  const { datasetId, examples, maxExamples, onAdded } = addition;
  const dataset = await lockForChange(tx, datasetId);
  const where = { datasetId, seq: dataset.headSeq + 1n };
  const changes = new CountChanges();
  const counts = { added: 0, duplicates: 0 };
  const isEmpty = dataset.headSeq === 0n;
  const choose = chooser(tx, { datasetId, isEmpty }, addition);
  async function* encoded(): AsyncGenerator<Encoded> {
    for await (const batch of batches(examples)) {
      const { rows, contents } = await choose(batch);
      for (const { example } of rows) changes.add(example);
      counts.added += rows.length;
      counts.duplicates += batch.length - rows.length;
      refuseOverflow({ actual: dataset.examples + counts.added, maxExamples });
      await onAdded?.(rows.map(({ example }) => example));
      yield {
        contents: contents.length === 0 ? null : encodeContents(datasetId, contents),
        rows: rows.length === 0 ? null : encodeExamples(where, rows),
      };
    }
  }
  await overlapped(encoded(), async ({ contents, rows }) => {
    if (contents) await copyContents(tx, contents);
    if (rows) await copyExamples(tx, rows);
  });
  if (counts.added === 0) return counts;
  await recordCountChanges(tx, dataset, changes.list());
  await advanceHead(tx, where);
  await indexAddition(tx, where, counts);
  return counts;
}

type Encoded = { contents: Buffer[] | null; rows: Buffer[] | null };
/** `contents`: the new ones. */
type ChosenExamples = { rows: ExampleRow[]; contents: StorableExample[] };

const unknown: KnownContent = { isStored: false, isLive: false };
/** An earlier example of the addition has it. */
const repeated: KnownContent = { isStored: true, isLive: true };

/** Chooses the examples that are no duplicates, and the contents that are new to a locked dataset. */
function chooser(
  tx: Transaction,
  { datasetId, isEmpty }: { datasetId: string; isEmpty: boolean },
  { dedupe }: BulkAddition,
): (batch: readonly StorableExample[]) => Promise<ChosenExamples> {
  const seen = new SeenHashes();
  const nextId = ascendingIds('ex');
  return async (batch) => {
    const isFirst = batch.map(({ hash }) => seen.add(hash));
    const hashes = batch.flatMap(({ hash }, index) => (isFirst[index] ? [hash] : []));
    const known = isEmpty ? null : await findContents(tx, datasetId, hashes);
    const chosen: ChosenExamples = { rows: [], contents: [] };
    for (const [index, example] of batch.entries()) {
      const { isStored, isLive } = isFirst[index] ? (known?.get(example.hash.toString('hex')) ?? unknown) : repeated;
      if (dedupe === 'exact' && isLive) continue;
      if (!isStored) chosen.contents.push(example);
      chosen.rows.push({ id: nextId(), example });
    }
    return chosen;
  };
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
