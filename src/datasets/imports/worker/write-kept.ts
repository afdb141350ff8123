import type { Transaction } from '#db';
import { SeenHashes } from '#kernel';
import { lockForChange } from '../../dataset-access.ts';
import { type BulkCounts, finishBulk } from '../../examples/bulk-add.ts';
import { exampleIds } from '../../examples/example-ids.ts';
import { noteChanges } from '../../examples/note-changes.ts';
import type { Summary } from '../../versions/versions.ts';
import type { KeptRows } from '../kept/kept-rows.ts';
import type { Job } from './work-deps.ts';
import { writeContents } from './write-contents.ts';
import { writeRows } from './write-rows.ts';
import { isSearched, type Known, type Writing } from './writing.ts';

/** `summary`: of the version that the dataset now gets; null: it must be made of the whole dataset. */
export type WrittenRows = BulkCounts & { seq: bigint; summary: Summary | null };

/**
 * Adds the rows that the survey has kept, as `bulkAdd` adds those of a file: in one transaction, the first of equal
 * contents, in the order of the file.
 */
export async function writeKept(
  tx: Transaction,
  { job, datasetId, kept, known }: { job: Job; datasetId: string; kept: KeptRows; known: Known },
): Promise<WrittenRows> {
  const dataset = await lockForChange(tx, datasetId);
  const write: Writing = {
    ...{ job, dataset, kept, known, alive: new SeenHashes(), done: { contents: 0, rows: 0 } },
    check: job.progress.check,
    hasContents: dataset.headSeq > 0n,
    firstId: exampleIds()(),
  };
  // Rows come after contents, because those tell which of them are alive.
  const summary = await writeContents(tx, write);
  const { added, changes } = await writeRows(tx, write);
  const seq = dataset.headSeq + 1n;
  if (added > 0) {
    await noteChanges(tx, dataset, changes);
    await finishBulk(tx, { datasetId, seq, firstId: write.firstId, added, unsearched: !isSearched(kept) });
  }
  return { added, duplicates: kept.valid - added, seq, summary: added > 0 ? summary : null };
}
