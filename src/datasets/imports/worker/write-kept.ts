import { createHash } from 'node:crypto';
import type { Transaction } from '#db';
import type { ExampleContent } from '../../content/example-content.ts';
import { searchWords } from '../../content/search-words.ts';
import { SeenHashes } from '../../content/seen-hashes.ts';
import { lockForChange } from '../../dataset-access.ts';
import type { LockedDataset } from '../../datasets.store.ts';
import { refuseOverflow } from '../../examples/add-examples.ts';
import { type BulkCounts, finishBulk, overlapped, searchedAtOnce } from '../../examples/bulk-add.ts';
import {
  copyContents,
  copyExamples,
  encodeContents,
  encodeExamples,
  findContents,
  type NewRow,
} from '../../examples/bulk-writes.store.ts';
import { CountChanges } from '../../examples/count-changes.ts';
import { exampleIds } from '../../examples/example-ids.ts';
import { changeCounts, insertContents } from '../../examples/example-writes.store.ts';
import { overLimit, type Split } from '../../examples/new-examples.ts';
import { lineEnd } from '../../versions/version-content.ts';
import { type Summary, statsOf } from '../../versions/versions.ts';
import type { KeptContent, KeptRow, KeptRows } from '../kept/kept-rows.ts';
import { drawSplit } from '../survey/draw-split.ts';
import type { TokenCounts } from '../survey/token-counts.ts';
import type { Job } from './room.ts';

export type Known = { tokens: TokenCounts; maxTokens: number | null };

/** `summary`: of the version that the dataset now gets; null: it must be made of the whole dataset. */
export type WrittenRows = BulkCounts & { seq: bigint; summary: Summary | null };

/**
 * Adds the rows that the survey has kept, as `bulkAdd` adds those of a file: in one transaction, the first of equal
 * contents, in the order of the file. Contents go in the order of a version, which is that of their index as well.
 */
export async function writeKept(
  tx: Transaction,
  { job, datasetId, kept, known }: { job: Job; datasetId: string; kept: KeptRows; known: Known },
): Promise<WrittenRows> {
  const dataset = await lockForChange(tx, datasetId);
  const write: Writing = { tx, job, dataset, kept, known, alive: new SeenHashes() };
  const summary = await writeContents(write);
  const { added, firstId, changes } = await writeRows(write);
  const seq = dataset.headSeq + 1n;
  if (added > 0) {
    await changeCounts(tx, datasetId, changes.list());
    await finishBulk(tx, { datasetId, seq, firstId, added, unsearched: !isSearched(kept) });
  }
  return { added, duplicates: kept.valid - added, seq, summary: added > 0 ? summary : null };
}

type Writing = {
  tx: Transaction;
  job: Job;
  dataset: LockedDataset;
  kept: KeptRows;
  known: Known;
  /** Contents that live examples had before. */
  alive: SeenHashes;
};

/** Of the work on an import, contents are the larger part. */
const shareOfContents = 0.6;
/** Contents of one statement: more do not make it quicker, and this bounds what is in memory. */
const mostContents = 4_000;
const mostBytes = 4_000_000;

async function* inBatches(source: AsyncIterable<readonly KeptContent[]>): AsyncGenerator<KeptContent[]> {
  let batch: KeptContent[] = [];
  let bytes = 0;
  for await (const contents of source)
    for (const content of contents) {
      batch.push(content);
      bytes += content.bytes;
      if (batch.length < mostContents && bytes < mostBytes) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  if (batch.length > 0) yield batch;
}

async function writeContents(write: Writing): Promise<Summary | null> {
  const { tx, job, dataset, kept } = write;
  const digest = isWholeVersion(write) ? new VersionDigest() : null;
  let done = 0;
  async function* encoded(): AsyncGenerator<Buffer[]> {
    for await (const contents of inBatches(kept.contentsByHash())) {
      job.pulse.check();
      for (const content of contents) digest?.add(content, factsOf(write, content));
      const fresh = await unknownOf(write, contents);
      if (isSearched(kept)) await insertContents(tx, dataset.id, contents.map(withWords));
      else if (fresh.length > 0) yield encodeContents(dataset.id, fresh);
      done += contents.length;
      showProgress(write, (done / kept.contents) * shareOfContents);
    }
  }
  await overlapped(encoded(), (data) => copyContents(tx, data));
  return digest?.summary() ?? null;
}

/** The version is made of these contents alone, each once. */
function isWholeVersion({ job, dataset, kept }: Writing): boolean {
  return dataset.headSeq === 0n && (job.run.options.dedupe === 'exact' || kept.contents === kept.valid);
}

/** Those that the dataset does not have; notes which of the others are alive. */
async function unknownOf({ tx, dataset, alive }: Writing, contents: KeptContent[]): Promise<KeptContent[]> {
  // Whoever adds a content holds the lock, so what never was changed has none.
  if (dataset.headSeq === 0n) return contents;
  const known = await findContents(
    tx,
    dataset.id,
    contents.map(({ hash }) => hash),
  );
  return contents.filter(({ hash }) => {
    const isLive = known.get(hash.toString('hex'));
    if (isLive) alive.add(hash);
    return isLive === undefined;
  });
}

function withWords({ hash, json }: KeptContent) {
  const text = json.toString();
  // as: written by the survey, in the shape of what was checked.
  return { hash, json: text, words: searchWords(JSON.parse(text) as ExampleContent) };
}

/** A few rows are in the index when the import commits; the words of more go into blocks. */
const isSearched = ({ valid }: KeptRows) => valid <= searchedAtOnce;

async function writeRows(write: Writing): Promise<{ added: number; firstId: string; changes: CountChanges }> {
  const { tx, job, dataset, kept, alive } = write;
  const where = { datasetId: dataset.id, seq: dataset.headSeq + 1n };
  const isExact = job.run.options.dedupe === 'exact';
  const nextId = exampleIds();
  const changes = new CountChanges();
  let added = 0;
  let firstId = '';
  let done = 0;
  async function* encoded(): AsyncGenerator<Buffer[]> {
    for await (const some of kept.inOrder()) {
      job.pulse.check();
      const wanted = isExact ? some.filter(({ hash, isFirst }) => isFirst && !alive.has(hash)) : some;
      const rows = wanted.map((row): NewRow => {
        const example = factsOf(write, row);
        changes.add(example);
        added++;
        return { id: nextId(), example, searched: isSearched(kept) };
      });
      firstId ||= rows[0]?.id ?? '';
      refuseOverflow({ actual: dataset.examples + added, maxExamples: job.bounds.maxExamples });
      if (rows.length > 0) yield encodeExamples(where, rows);
      done += some.length;
      showProgress(write, shareOfContents + (done / kept.valid) * (1 - shareOfContents));
    }
  }
  await overlapped(encoded(), (data) => copyExamples(tx, data));
  return { added, firstId, changes };
}

/** All that is stored of an example beside its content. */
function factsOf({ job: { run }, known: { tokens: counts, maxTokens } }: Writing, row: KeptRow): NewRow['example'] {
  const counted = counts.at(row.row);
  const tooLong = counted !== null && maxTokens !== null && counted.longest > maxTokens;
  return {
    ...{ hash: row.hash, bytes: row.bytes, split: row.split ?? drawSplit(row.hash, run.options) },
    ...{ origin: 'import', originId: run.id, tokens: counted?.tokens ?? null, valid: !tooLong },
    issues: tooLong ? [overLimit(counted.longest, maxTokens)] : [],
  };
}

function showProgress({ job, kept }: Writing, share: number): void {
  job.pulse.set({
    phase: 'writing',
    rowsDone: Math.floor(kept.rows * share),
    percent: Math.min(98, Math.floor(share * 98)),
  });
}

/** What a version comes to, of its examples in canonical order. */
class VersionDigest {
  readonly #hash = createHash('sha256');
  readonly #tokens: number[] = [];
  readonly #counts: Record<Split, number> = { train: 0, test: 0 };
  #bytes = 0n;

  add({ json }: KeptContent, { split, valid, tokens }: NewRow['example']): void {
    if (!valid) return;
    const end = lineEnd(split);
    this.#hash.update(json.subarray(0, -1)).update(end);
    this.#bytes += BigInt(json.length - 1 + end.length);
    this.#counts[split]++;
    if (tokens !== null) this.#tokens.push(tokens);
  }

  summary(): Summary {
    const { train: trainCount, test: testCount } = this.#counts;
    const tokenStats = statsOf(this.#tokens);
    return { sha256: this.#hash.digest('hex'), bytes: this.#bytes, trainCount, testCount, tokenStats };
  }
}
