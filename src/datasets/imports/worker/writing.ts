import type { SeenHashes } from '#kernel';
import type { LockedDataset } from '../../datasets.store.ts';
import { searchedAtOnce } from '../../examples/bulk-add.ts';
import type { CopiedExample } from '../../examples/example-copy.ts';
import { issuesOf } from '../../examples/new-examples.ts';
import { rowAt } from '../kept/content-bucket.ts';
import { drawnAt } from '../kept/kept-format.ts';
import type { KeptRows } from '../kept/kept-rows.ts';
import { assignSplit } from '../profile/assign-split.ts';
import type { TokenCounts } from '../profile/token-counts.ts';
import type { Job } from './work-deps.ts';

export type Known = { tokens: TokenCounts; maxTokens: number | null };

/** Kept rows on their way into a locked dataset. */
export type Writing = {
  job: Job;
  dataset: LockedDataset;
  kept: KeptRows;
  known: Known;
  /** The dataset may have contents already. */
  hasContents: boolean;
  /** Of the first example; the others follow, in the order of the file. */
  firstId: string;
  /** Contents that live examples had before. */
  alive: SeenHashes;
  /** Throws once the work is not wanted. */
  check: () => void;
  /** Contents and rows that are written. */
  done: { contents: number; rows: number };
};

/** A few rows are in the index when the import commits; the words of more go into blocks. */
export const isSearched = ({ valid }: KeptRows) => valid <= searchedAtOnce;

/** The version is made of these contents alone, each once. */
export function isWholeVersion({ job, dataset, kept }: Pick<Writing, 'job' | 'dataset' | 'kept'>): boolean {
  return dataset.headSeq === 0n && (job.run.options.dedupe === 'exact' || kept.contents === kept.valid);
}

/** Of the work on an import, contents are about half. */
const shareOfContents = 0.5;

export function showProgress({ job, kept, done }: Writing): void {
  const share = (done.contents / kept.contents) * shareOfContents + (done.rows / kept.valid) * (1 - shareOfContents);
  job.progress.set({
    phase: 'writing',
    rowsDone: Math.floor(kept.rows * share),
    percent: Math.min(98, Math.floor(share * 98)),
  });
}

/** All that is stored of an example beside its content, of the record that begins at a place. */
export function factsOf(
  { job: { run }, known: { tokens: counts, maxTokens } }: Writing,
  bytes: Buffer,
  at: number,
): CopiedExample {
  const row = rowAt(bytes, at);
  const counted = counts.at(row.row);
  const tooLong = counted !== null && maxTokens !== null && counted.longest > maxTokens;
  return {
    bytes: row.bytes,
    split: row.split ?? assignSplit(bytes, run.options, at + drawnAt),
    tokens: counted === null ? null : counted.tokens,
    valid: !tooLong,
    issues: issuesOf(counted, maxTokens),
  };
}
