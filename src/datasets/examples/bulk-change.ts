import type { Transaction } from '#db';
import type { Jobs } from '#jobs';
import { advanceHead, type LockedDataset } from '../datasets.store.ts';
import { indexChange } from '../search/index-examples.ts';
import { searchInTransaction } from '../search/search-examples.ts';
import { closeExamples, listLiveIds, reopenInSplit } from './bulk-change.store.ts';
import { CountChanges, recordCountChanges } from './count-changes.ts';
import { countLive, endOfIds, type FoundExamples, listLive } from './example-list.store.ts';
import type { ExampleFilter, Split } from './new-examples.ts';

/** Examples of one change. */
export const maxBulkExamples = 1_000;
/** Listed with their contents, each of which may be long. */
const pageRows = 100;

export type BulkFilter = ExampleFilter & { q: string | null };

export type BulkChange = {
  /** Null: they are removed. */
  split: Split | null;
  /** Which examples; a filter takes the newest that it matches. */
  of: { ids: readonly string[] } | { filter: BulkFilter };
};

export type BulkResult = {
  /** Of those that were changed. */
  ids: string[];
  /** Those that were as requested already. */
  unchanged: number;
  /** Ids that are not in the dataset. */
  missing: number;
  /** What the filter matches still. */
  remaining: number;
};

type Queue = Pick<Jobs, 'enqueue'>;

/**
 * Moves examples of a locked dataset to a split, or removes them, in one change of the dataset. What others have changed before the lock
 * stays: only the split of an example is another.
 */
export async function changeExamples(
  tx: Transaction,
  dataset: LockedDataset,
  { split, of, jobs }: BulkChange & { jobs: Queue },
): Promise<BulkResult> {
  if ('filter' in of) {
    const { ids, total } = await matching(tx, dataset, notYetIn(split, of.filter));
    const changed = await change(tx, dataset, { ids, split, jobs });
    return { ids: changed, unchanged: 0, missing: 0, remaining: Math.max(0, total - changed.length) };
  }
  const ids = [...new Set(of.ids)];
  const live = await listLiveIds(tx, dataset.id, ids);
  const changed = await change(tx, dataset, { ids: live, split, jobs });
  return { ids: changed, unchanged: live.length - changed.length, missing: ids.length - live.length, remaining: 0 };
}

/** Null: none can match, as those that do are where they should be. */
function notYetIn(split: Split | null, filter: BulkFilter): BulkFilter | null {
  if (split === null) return filter;
  return filter.split === split ? null : { ...filter, split: split === 'train' ? 'test' : 'train' };
}

async function change(
  tx: Transaction,
  dataset: LockedDataset,
  { ids, split, jobs }: { ids: readonly string[]; split: Split | null; jobs: Queue },
): Promise<string[]> {
  const where = { datasetId: dataset.id, seq: dataset.headSeq + 1n };
  const closed = ids.length === 0 ? [] : await closeExamples(tx, where, { ids, notIn: split });
  if (closed.length === 0) return [];
  const changes = new CountChanges();
  for (const example of closed) changes.remove(example);
  const changed = closed.map(({ id }) => id);
  if (split !== null) {
    await reopenInSplit(tx, where, split, changed);
    for (const example of closed) changes.add({ ...example, split }, { isStored: true });
    // The split is one of the words.
    await indexChange(tx, jobs, { ...where, bytes: closed.reduce((sum, { bytes }) => sum + bytes, 0) });
  }
  await recordCountChanges(tx, dataset, changes.list());
  await advanceHead(tx, where);
  return changed;
}

async function matching(
  tx: Transaction,
  dataset: LockedDataset,
  filter: BulkFilter | null,
): Promise<{ ids: string[]; total: number }> {
  const ids: string[] = [];
  let total: number | null = null;
  while (filter !== null && ids.length < maxBulkExamples) {
    const page = await find(tx, dataset, { filter, before: ids.at(-1) ?? endOfIds, knownCount: total });
    total = page.totalCount;
    ids.push(...page.rows.map(({ id }) => id));
    if (page.rows.length < pageRows) break;
  }
  return { ids, total: total ?? 0 };
}

async function find(
  tx: Transaction,
  { id: datasetId, headSeq: seq }: LockedDataset,
  { filter: { q, ...filter }, before, knownCount }: { filter: BulkFilter; before: string; knownCount: number | null },
): Promise<FoundExamples> {
  const page = { before, limit: pageRows };
  const state = { datasetId, seq, ...filter };
  if (q !== null) return searchInTransaction(tx, q, { state, page, knownCount });
  const totalCount = knownCount ?? (await countLive(tx, state));
  return { rows: await listLive(tx, state, page), totalCount, isExact: true };
}
