import type { Transaction } from '#db';
import { SeenHashes } from '#kernel';
import { lockForChange } from '../../dataset-access.ts';
import { type BulkCounts, finishBulk } from '../../examples/bulk-add.ts';
import { hasContents, lockContents } from '../../examples/contents-ahead.store.ts';
import { exampleIds } from '../../examples/example-ids.ts';
import { changeCounts } from '../../examples/example-writes.store.ts';
import type { Summary } from '../../versions/versions.ts';
import type { KeptRows } from '../kept/kept-rows.ts';
import { type ContentsBeside, keepAwake, openContentsBeside } from './contents-beside.ts';
import type { Job } from './room.ts';
import { writeContents } from './write-contents.ts';
import { type WrittenExamples, writeRows } from './write-rows.ts';
import { isSearched, isWholeVersion, type Known, type Writing } from './writing.ts';

/** `summary`: of the version that the dataset now gets; null: it must be made of the whole dataset. */
export type WrittenRows = BulkCounts & {
  seq: bigint;
  summary: Summary | null;
  /** Has the contents, and is to be committed with the last statements. */
  beside: ContentsBeside | null;
};

/**
 * Adds the rows that the survey has kept, as `bulkAdd` adds those of a file: in one transaction, the first of equal
 * contents, in the order of the file. Contents that are many, of a dataset that has none, are written beside it.
 */
export async function writeKept(
  tx: Transaction,
  { job, datasetId, kept, known }: { job: Job; datasetId: string; kept: KeptRows; known: Known },
): Promise<WrittenRows> {
  const dataset = await lockForChange(tx, datasetId);
  // Any other version is made of what the transaction sees, and it does not see what is written beside it.
  const isBeside = isWholeVersion({ job, dataset, kept }) && !isSearched(kept);
  const beside = isBeside ? await openContentsBeside(tx, { database: job.database, datasetId }) : null;
  try {
    const write: Writing = {
      ...{ job, dataset, kept, known, alive: new SeenHashes(), done: { contents: 0, rows: 0 } },
      check: job.pulse.check,
      hasContents: beside === null && (await mayHaveContents(tx, dataset)),
      firstId: exampleIds()(),
      areTogether: beside !== null,
    };
    const { summary, rows } = beside ? await atOnce(tx, beside, write) : await oneByOne(tx, write);
    const { added, changes } = rows;
    const seq = dataset.headSeq + 1n;
    if (added > 0) {
      await changeCounts(tx, datasetId, changes);
      await finishBulk(tx, { datasetId, seq, firstId: write.firstId, added, unsearched: !isSearched(kept) });
    }
    return { added, duplicates: kept.valid - added, seq, summary: added > 0 ? summary : null, beside };
  } catch (error) {
    await beside?.rollback();
    throw error;
  }
}

async function mayHaveContents(tx: Transaction, { id, headSeq }: Writing['dataset']): Promise<boolean> {
  await lockContents(tx, id);
  return headSeq > 0n || (await hasContents(tx, id));
}

type Written = { summary: Summary | null; rows: WrittenExamples };

/** Rows after contents, because those tell which of them are alive. */
async function oneByOne(tx: Transaction, write: Writing): Promise<Written> {
  const summary = await writeContents(tx, write);
  return { summary, rows: await writeRows(tx, write) };
}

/** When one fails, the other ends, too. */
async function atOnce(tx: Transaction, beside: ContentsBeside, write: Writing): Promise<Written> {
  const failed = new AbortController();
  const part: Writing = {
    ...write,
    check: () => {
      write.check();
      failed.signal.throwIfAborted();
    },
  };
  const fail = (error: unknown): null => {
    failed.abort(error);
    return null;
  };
  let rest = () => {};
  const writing = writeRows(tx, part).then((rows) => {
    rest = keepAwake(tx);
    return rows;
  });
  const contents = beside.write(async (side) => ({ summary: await writeContents(side, part) }));
  const [written, rows] = await Promise.all([contents.catch(fail), writing.catch(fail)]);
  rest();
  if (written && rows) return { summary: written.summary, rows };
  throw failed.signal.reason;
}
