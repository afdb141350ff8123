import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '#db';
import { refuseOverflow } from '../../examples/add-examples.ts';
import { overlapped } from '../../examples/bulk-add.ts';
import { copyExamples } from '../../examples/bulk-writes.store.ts';
import { ExampleCopy } from '../../examples/example-copy.ts';
import type { CountChange } from '../../examples/example-writes.store.ts';
import { KindSums } from '../../examples/kind-sums.ts';
import { hashAt, rowAt } from '../kept/content-bucket.ts';
import { rowRecordBytes } from '../kept/kept-format.ts';
import { factsOf, isSearched, showProgress, type Writing } from './writing.ts';

/** Rows of one statement. */
const mostBytes = 1_000_000;

export type WrittenExamples = { added: number; changes: CountChange[] };

/** Writes the examples in the order of the file. */
export async function writeRows(tx: Transaction, write: Writing): Promise<WrittenExamples> {
  const { job, dataset, kept } = write;
  const isExact = job.run.options.dedupe === 'exact';
  const sums = new KindSums('import');
  const copy = new ExampleCopy({
    ...{ datasetId: dataset.id, seq: dataset.headSeq + 1n, importId: job.run.id, firstId: write.firstId },
    ...{ searched: isSearched(kept), bytes: mostBytes + mostBytes / 8 },
  });
  async function* encoded(): AsyncGenerator<Buffer[]> {
    for await (const records of kept.inOrder()) {
      // The connection has to be fed meanwhile, or the database waits.
      await nextTurn();
      write.check();
      for (let at = 0; at < records.length; at += rowRecordBytes) {
        write.done.rows++;
        if (isExact && isDuplicate(write, records, at)) continue;
        const example = factsOf(write, records, at);
        sums.add(example);
        copy.add(records, at, example);
      }
      refuseOverflow({ actual: dataset.examples + copy.added, maxExamples: job.bounds.maxExamples });
      showProgress(write);
      if (copy.bytes >= mostBytes) yield copy.take();
    }
    if (copy.bytes > 0) yield copy.take();
  }
  await overlapped(encoded(), (data) => copyExamples(tx, data));
  return { added: copy.added, changes: sums.list() };
}

/** Not the first of its kind in the file, or alive in the dataset. */
function isDuplicate({ hasContents, alive }: Writing, records: Buffer, at: number): boolean {
  return !rowAt(records, at).isFirst || (hasContents && alive.has(hashAt(records, at)));
}
