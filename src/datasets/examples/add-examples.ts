import type { Transaction } from '#db';
import { ascendingIds, fault, SeenHashes } from '#kernel';
import type { Issue } from '../content/issues.ts';
import { lockForChange } from '../dataset-access.ts';
import { advanceHead, type LockedDataset } from '../datasets.store.ts';
import { indexExamples } from '../search/index-examples.ts';
import { CountChanges, recordCountChanges } from './count-changes.ts';
import {
  copyRowsOf,
  type EncodedExamples,
  type ExampleRow,
  findContents,
  type KnownContent,
} from './example-writes.store.ts';
import type { PreparedExample, StorableExample } from './new-examples.ts';

/** `exact`: content that a live example has already is left out. */
export type Dedupe = 'exact' | 'none';

export type AddedExample = {
  status: 'created' | 'duplicate' | 'rejected';
  /** Null unless it was created. */
  id: string | null;
  issues: readonly Issue[];
};

type AdditionRule = {
  dedupe: Dedupe;
  maxExamples: number;
};

export type Addition = AdditionRule & { datasetId: string; examples: readonly PreparedExample[] };

/**
 * Adds examples to a dataset, each independently: one that is wrong or a duplicate does not keep out the others. The
 * dataset stays locked until the transaction ends. Throws `not_found`, `in_use`, and `state_conflict` (archived, or
 * full).
 */
export async function addExamples(
  tx: Transaction,
  { datasetId, examples, ...rule }: Addition,
): Promise<AddedExample[]> {
  const adder = new ExampleAdder(tx, await lockForChange(tx, datasetId), rule);
  const { rows, encoded } = await adder.choose(examples.flatMap(({ example }) => example ?? []));
  await encoded.write(tx);
  if (rows.length > 0) {
    await indexExamples(
      tx,
      adder.change,
      rows.map(({ id, example }) => ({ ...example, id })),
    );
    await adder.finish();
  }
  const ids = new Map(rows.map(({ id, example }) => [example, id]));
  return examples.map(({ example, issues }): AddedExample => {
    if (!example) return { status: 'rejected', id: null, issues };
    const id = ids.get(example) ?? null;
    return { status: id === null ? 'duplicate' : 'created', id, issues };
  });
}

const newContent: KnownContent = { isStored: false, isLive: false };
/** An earlier example of the addition has it. */
const repeated: KnownContent = { isStored: true, isLive: true };

export class ExampleAdder {
  /** The change of the dataset that the examples belong to. */
  readonly change: { datasetId: string; seq: bigint };
  added = 0;
  readonly #tx: Transaction;
  readonly #dataset: LockedDataset;
  readonly #rule: AdditionRule;
  readonly #counts = new CountChanges();
  readonly #seen = new SeenHashes();
  readonly #nextId = ascendingIds('ex');

  constructor(tx: Transaction, dataset: LockedDataset, rule: AdditionRule) {
    this.#tx = tx;
    this.#dataset = dataset;
    this.#rule = rule;
    this.change = { datasetId: dataset.id, seq: dataset.headSeq + 1n };
  }

  /** Those that are no duplicates, in the form in which they are written. */
  async choose(batch: readonly StorableExample[]): Promise<{ rows: ExampleRow[]; encoded: EncodedExamples }> {
    const { id, kind, examples, headSeq } = this.#dataset;
    const isFirst = batch.map(({ hash }) => this.#seen.add(hash));
    const hashes = batch.flatMap(({ hash }, index) => (isFirst[index] ? [hash] : []));
    const known = headSeq === 0n ? null : await findContents(this.#tx, id, hashes);
    const rows: ExampleRow[] = [];
    const contents: StorableExample[] = [];
    for (const [index, example] of batch.entries()) {
      const { isStored, isLive } = isFirst[index] ? (known?.get(example.hash.toString('hex')) ?? newContent) : repeated;
      if (this.#rule.dedupe === 'exact' && isLive) continue;
      if (!isStored) contents.push(example);
      rows.push({ id: this.#nextId(), example });
      this.#counts.add(example);
    }
    this.added += rows.length;
    refuseOverflow({ actual: examples + this.added, maxExamples: this.#rule.maxExamples });
    return { rows, encoded: copyRowsOf(this.change, { kind, contents, rows }) };
  }

  async finish(): Promise<void> {
    await recordCountChanges(this.#tx, this.#dataset, this.#counts.list());
    await advanceHead(this.#tx, this.change);
  }
}

function refuseOverflow({ actual, maxExamples }: { actual: number; maxExamples: number }): void {
  if (actual <= maxExamples) return;
  throw fault('state_conflict', {
    message: `The dataset would have ${actual} examples and may have ${maxExamples}.`,
    details: { reason: 'max_examples_per_dataset', limit: maxExamples, actual },
  });
}
