import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '#db';
import { refuseOverflow } from '../../examples/add-examples.ts';
import { overlapped } from '../../examples/bulk-add.ts';
import type { CountChange } from '../../examples/example-writes.store.ts';
import { KindSums } from '../../examples/kind-sums.ts';
import { PackCopy } from '../../examples/pack-copy.ts';
import { PackedPlaces } from '../../examples/pack-format.ts';
import { copyPacks, insertPlaces } from '../../examples/packs.store.ts';
import type { Summary } from '../../versions/versions.ts';
import { VersionDigest } from './version-digest.ts';
import { factsOf, showProgress, type Writing } from './writing.ts';

/** Packs of one statement: more do not make it quicker, and this bounds what is in memory. */
const mostBytes = 4_000_000;
/** Examples between two turns of the event loop: the connection has to be fed meanwhile, or the database waits. */
const fewExamples = 64;

export type WrittenPacks = { summary: Summary; added: number; changes: CountChange[]; packs: number };

/** Writes examples whose contents are new, each once, in packs in the order of a version, and gives what that comes to. */
export async function writePacks(tx: Transaction, write: Writing): Promise<WrittenPacks> {
  const { job, kept, dataset } = write;
  const added = kept.contents;
  refuseOverflow({ actual: dataset.examples + added, maxExamples: job.bounds.maxExamples });
  const digest = new VersionDigest();
  const sums = new KindSums('import');
  const places = new PackedPlaces(added);
  const copy = new PackCopy({ datasetId: dataset.id, places, bytes: mostBytes + mostBytes / 8 });
  async function* encoded(): AsyncGenerator<Buffer[]> {
    for await (const bucket of kept.contentsByHash()) {
      for (let from = 0; from < bucket.places.length; from += fewExamples) {
        await nextTurn();
        write.check();
        const some = bucket.places.subarray(from, from + fewExamples);
        for (const at of some) {
          const example = factsOf(write, bucket.bytes, at);
          const { start, end } = bucket.jsonOf(at);
          digest.add(bucket.bytes, { start, end }, example);
          sums.add(example);
          copy.add(bucket.bytes, { hashAt: at, start, end, place: bucket.contentsBefore(at), example });
        }
        write.done.contents += some.length;
        write.done.rows += some.length;
        showProgress(write);
        if (copy.bytes >= mostBytes) yield copy.take();
      }
      // The next bucket takes the memory of this one.
      copy.endPack();
    }
    if (copy.bytes > 0) yield copy.take();
  }
  await overlapped(encoded(), (data) => copyPacks(tx, data));
  await insertPlaces(tx, dataset.id, [...places.stretches()]);
  return { summary: digest.summary(), added, changes: sums.list(), packs: copy.packs };
}
