import type { Transaction } from '#db';
import { SeenHashes } from '#kernel';
import { lockForChange } from '../../dataset-access.ts';
import { type BulkCounts, finishBulk } from '../../examples/bulk-add.ts';
import { hasContents, lockContents } from '../../examples/contents-ahead.store.ts';
import { exampleIds } from '../../examples/example-ids.ts';
import { noteChanges } from '../../examples/note-changes.ts';
import { packsAreKnown } from '../../examples/packs.store.ts';
import type { Summary } from '../../versions/versions.ts';
import type { KeptRows } from '../kept/kept-rows.ts';
import type { Job } from './room.ts';
import { writeContents } from './write-contents.ts';
import { type WrittenPacks, writePacks } from './write-packs.ts';
import { type WrittenExamples, writeRows } from './write-rows.ts';
import { isSearched, isWholeVersion, type Known, type Writing } from './writing.ts';

/** `summary`: of the version that the dataset now gets; null: it must be made of the whole dataset. */
export type WrittenRows = BulkCounts & { seq: bigint; summary: Summary | null };

/**
 * Adds the rows that the survey has kept, as `bulkAdd` adds those of a file: in one transaction, the first of equal
 * contents, in the order of the file. Many that are all that a dataset has come into packs.
 */
export async function writeKept(
  tx: Transaction,
  { job, datasetId, kept, known }: { job: Job; datasetId: string; kept: KeptRows; known: Known },
): Promise<WrittenRows> {
  const dataset = await lockForChange(tx, datasetId);
  await lockContents(tx, datasetId);
  const write: Writing = {
    ...{ job, dataset, kept, known, alive: new SeenHashes(), done: { contents: 0, rows: 0 } },
    check: job.pulse.check,
    hasContents: dataset.headSeq > 0n || (await hasContents(tx, datasetId)),
    firstId: exampleIds()(),
  };
  const { summary, added, changes, packs } = (await isForPacks(tx, write))
    ? await writePacks(tx, write)
    : await oneByOne(tx, write);
  const seq = dataset.headSeq + 1n;
  if (added > 0) {
    await noteChanges(tx, dataset, changes);
    const packed = packs === null ? null : { packs, originId: job.run.id };
    await finishBulk(tx, { datasetId, seq, firstId: write.firstId, added, unsearched: !isSearched(kept), packed });
  }
  return { added, duplicates: kept.valid - added, seq, summary: added > 0 ? summary : null };
}

async function isForPacks(tx: Transaction, write: Writing): Promise<boolean> {
  if (write.hasContents || !isWholeVersion(write) || isSearched(write.kept)) return false;
  return packsAreKnown(tx);
}

type Written = Omit<WrittenPacks, 'summary' | 'packs'> & { summary: Summary | null; packs: number | null };

/** Rows after contents, because those tell which of them are alive. */
async function oneByOne(tx: Transaction, write: Writing): Promise<Written> {
  const summary = await writeContents(tx, write);
  const rows: WrittenExamples = await writeRows(tx, write);
  return { ...rows, summary, packs: null };
}
