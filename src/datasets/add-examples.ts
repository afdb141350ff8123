import type { Sql } from '#db';
import { fault, newId } from '#kernel';
import {
  advanceHead,
  type CountChange,
  type ExampleRow,
  findDuplicates,
  insertExamples,
  type LockedDataset,
  lockDataset,
  type Origin,
  type Split,
} from './dataset-writes.store.ts';
import { type Checked, checkExample, contentHash, searchText } from './example-content.ts';
import type { Issue } from './issues.ts';

/** An example on its way into a dataset. */
export type NewExample = {
  /** As its source has it; it is checked here. */
  content: unknown;
  split: Split;
  origin: Origin;
  originId: string | null;
  /** Counted with the dataset's tokenizer, where the source did. */
  tokens?: number | null;
};

export type AddedExample = {
  status: 'created' | 'duplicate' | 'rejected';
  /** Null unless it was created. */
  id: string | null;
  issues: Issue[];
};

export type Addition = {
  datasetId: string;
  examples: readonly NewExample[];
  /** `exact`: content that the dataset has already is left out. */
  dedupe: 'none' | 'exact';
};

/**
 * Adds examples to a dataset, each for itself: one that is wrong or a duplicate never sinks the rest. The dataset stays
 * locked until the transaction ends. Throws `not_found`, `state_conflict` (archived).
 */
export async function addExamples(tx: Sql, { datasetId, examples, dedupe }: Addition): Promise<AddedExample[]> {
  const dataset = await lockForChange(tx, datasetId);
  const candidates = examples.map((example) => toCandidate(example, dataset));
  const known = dedupe === 'exact' ? await knownHashes(tx, datasetId, candidates) : new Set<string>();
  const rows: ExampleRow[] = [];
  const results = candidates.map(({ row, issues }): AddedExample => {
    if (!row) return { status: 'rejected', id: null, issues };
    const hash = row.contentHash.toString('hex');
    if (dedupe === 'exact' && known.has(hash)) return { status: 'duplicate', id: null, issues };
    known.add(hash);
    rows.push(row);
    return { status: 'created', id: row.id, issues };
  });
  if (rows.length > 0) await append(tx, dataset, rows);
  return results;
}

/** Locks the dataset for a change of its examples. */
export async function lockForChange(tx: Sql, datasetId: string): Promise<LockedDataset> {
  const dataset = await lockDataset(tx, datasetId);
  if (!dataset) throw fault('not_found', { message: 'There is no such dataset.' });
  if (dataset.archived)
    throw fault('state_conflict', {
      message: 'This dataset is archived.',
      details: { state: 'archived', allowed_from: ['active'] },
    });
  return dataset;
}

type Candidate = { row: ExampleRow | null; issues: Issue[] };

function toCandidate({ content: raw, split, origin, originId, tokens = null }: NewExample, { kind }: LockedDataset) {
  const { content, issues }: Checked = checkExample(raw, kind);
  if (!content) return { row: null, issues } satisfies Candidate;
  const row: ExampleRow = {
    id: newId('ex'),
    content,
    contentHash: contentHash(content),
    searchText: searchText(content),
    ...{ split, origin, originId, tokens, issues, valid: true, createdAt: null },
  };
  return { row, issues } satisfies Candidate;
}

function knownHashes(tx: Sql, datasetId: string, candidates: readonly Candidate[]): Promise<Set<string>> {
  return findDuplicates(
    tx,
    datasetId,
    candidates.flatMap(({ row }) => (row ? [row.contentHash] : [])),
  );
}

async function append(tx: Sql, { id: datasetId, headSeq }: LockedDataset, rows: readonly ExampleRow[]): Promise<void> {
  const seq = headSeq + 1n;
  await insertExamples(tx, { datasetId, seq, rows });
  await advanceHead(tx, { datasetId, seq, change: sumOf(rows) });
}

/** What rows add to the sums of their dataset. */
export function sumOf(rows: readonly Pick<ExampleRow, 'split' | 'valid' | 'tokens'>[]): CountChange {
  const change = { train: 0, test: 0, invalid: 0, tokens: 0 };
  for (const { split, valid, tokens } of rows) {
    change[split]++;
    if (!valid) change.invalid++;
    change.tokens += tokens ?? 0;
  }
  return change;
}
