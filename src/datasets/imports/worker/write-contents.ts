import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Transaction } from '#db';
import type { ExampleContent } from '../../content/example-content.ts';
import { searchWords } from '../../content/search-words.ts';
import { overlapped } from '../../examples/bulk-add.ts';
import { copyContents, findContents } from '../../examples/bulk-writes.store.ts';
import { ContentCopy } from '../../examples/content-copy.ts';
import { insertContents } from '../../examples/example-writes.store.ts';
import type { Summary } from '../../versions/versions.ts';
import type { ContentBucket } from '../kept/content-bucket.ts';
import { VersionDigest } from './version-digest.ts';
import { factsOf, isSearched, isWholeVersion, showProgress, type Writing } from './writing.ts';

/** Contents of one statement: more do not make it quicker, and this bounds what is in memory. */
const mostBytes = 4_000_000;
const mostContents = 4_000;
/** Contents between two turns of the event loop: the connection has to be fed meanwhile, or the database waits. */
const fewContents = 250;

/**
 * Writes the contents in the order of a version, which is that of their index as well. Gives what the version comes to
 * where it is made of these contents alone.
 */
export async function writeContents(tx: Transaction, write: Writing): Promise<Summary | null> {
  const { kept, dataset } = write;
  const digest = isWholeVersion(write) ? new VersionDigest() : null;
  const copy = new ContentCopy({ datasetId: dataset.id, bytes: mostBytes + mostBytes / 8 });
  async function* encoded(): AsyncGenerator<Buffer[]> {
    for await (const bucket of kept.contentsByHash())
      for (const places of someAtATime(bucket.places, write.hasContents ? mostContents : fewContents)) {
        await nextTurn();
        write.check();
        if (digest) addLines(digest, { write, bucket, places });
        const unknown = await unknownOf(tx, { write, bucket, places });
        if (isSearched(kept)) await insertContents(tx, dataset.id, withWords(bucket, places));
        else for (const place of unknown) copy.add(bucket.bytes, place, bucket.jsonOf(place));
        write.done.contents += places.length;
        showProgress(write);
        if (copy.bytes >= mostBytes) yield copy.take();
      }
    if (copy.bytes > 0) yield copy.take();
  }
  await overlapped(encoded(), (data) => copyContents(tx, data));
  return digest?.summary() ?? null;
}

/** So that no more is in memory than one bucket and a part for the database. */
function* someAtATime(places: Uint32Array, some: number): Generator<Uint32Array> {
  for (let from = 0; from < places.length; from += some) yield places.subarray(from, from + some);
}

type Some = { write: Writing; bucket: ContentBucket; places: Uint32Array };

function addLines(digest: VersionDigest, { write, bucket, places }: Some): void {
  for (const place of places) digest.add(bucket.bytes, bucket.jsonOf(place), factsOf(write, bucket.bytes, place));
}

/** Those that the dataset does not have; notes which of the others are alive. */
async function unknownOf(tx: Transaction, { write, bucket, places }: Some): Promise<Uint32Array> {
  if (!write.hasContents) return places;
  const hashes = Array.from(places, (place) => bucket.hashOf(place));
  const known = await findContents(tx, write.dataset.id, hashes);
  return places.filter((place) => {
    const hash = bucket.hashOf(place);
    const content = known.get(hash.toString('hex'));
    if (content?.isLive) write.alive.add(hash);
    return !content?.isStored;
  });
}

function withWords(bucket: ContentBucket, places: Uint32Array) {
  return Array.from(places, (place) => {
    const { start, end } = bucket.jsonOf(place);
    const json = bucket.bytes.toString('utf8', start, end);
    // as: written by the survey, in the shape of what was checked.
    return { hash: bucket.hashOf(place), json, words: searchWords(JSON.parse(json) as ExampleContent) };
  });
}
