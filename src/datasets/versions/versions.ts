import { createHash } from 'node:crypto';
import type { Sql } from '#db';
import { fault, newId } from '#kernel';
import { datasetIsArchived, lockForChange, noSuchDataset } from '../dataset-access.ts';
import { type DatasetAuthor, recordDatasetActivity } from '../dataset-activity.ts';
import { lineOf, type State, streamState } from './version-content.ts';
import {
  type DatasetVersion,
  findHead,
  findVersionAt,
  insertVersion,
  tokenStatsOf,
  type VersionSource,
} from './versions.store.ts';

export type Summary = Pick<DatasetVersion, 'sha256' | 'bytes' | 'trainCount' | 'testCount' | 'tokenStats'>;

export type Freezing = {
  datasetId: string;
  label?: string | null;
  source: VersionSource;
  author: DatasetAuthor;
  maxVersions: number;
};

export type Frozen = { version: DatasetVersion; isNew: boolean };

/**
 * Freezes what a dataset holds now; a state that has a version already gives that one. What is alive at the head never
 * changes, so the dataset needs no lock while its digest is made. Throws `not_found`, `state_conflict` (archived, or as
 * many versions as it may have) and `in_use` (an import writes into it).
 */
export async function freezeVersion(tx: Sql, freezing: Freezing): Promise<Frozen> {
  return writeVersion(tx, freezing, await summariseHead(tx, freezing));
}

/** A head, and what it comes to where it has no version yet. The slow part of freezing; it writes nothing. */
export type SummarisedHead =
  | { seq: bigint; existing: DatasetVersion }
  | { seq: bigint; existing: null; summary: Summary };

export async function summariseHead(
  sql: Sql,
  { datasetId, maxVersions }: Pick<Freezing, 'datasetId' | 'maxVersions'>,
): Promise<SummarisedHead> {
  const head = await findHead(sql, datasetId);
  if (!head) throw noSuchDataset();
  const state = { datasetId, seq: head.seq };
  const existing = await findVersionAt(sql, state);
  if (existing) return { seq: head.seq, existing };
  refuse(head, maxVersions);
  return { seq: head.seq, existing: null, summary: await summarise(sql, state) };
}

export async function writeVersion(tx: Sql, freezing: Freezing, head: SummarisedHead): Promise<Frozen> {
  if (head.existing) return { version: head.existing, isNew: false };
  const { datasetId, label = null, source, author, maxVersions } = freezing;
  const { seq, summary } = head;
  const row = { id: newId('dsv'), datasetId, seq, label, ...summary, source };
  // In a statement of its own: one that waited for the lock itself would look for versions as they were before it waited.
  await lockForChange(tx, datasetId);
  const made = await insertVersion(tx, row, maxVersions);
  if (made) {
    const { datasetName: name, ...version } = made;
    const { id, number, sha256, trainCount, testCount } = version;
    const examples = trainCount + testCount;
    await recordDatasetActivity(tx, author, {
      type: 'dataset.version_created',
      dataset: { id: datasetId, name },
      message: `Version ${number} of the dataset "${name}" was frozen with ${examples} examples.`,
      data: { version_id: id, number, sha256, examples },
    });
    return { version, isNew: true };
  }
  // Somebody froze the same state meanwhile, or a later one: versions come in the order of what they hold.
  const other = await findVersionAt(tx, { datasetId, seq });
  if (other) return { version: other, isNew: false };
  const now = await summariseHead(tx, freezing);
  if (now.seq === seq) throw new Error('A version was neither written nor found. This is a bug.');
  return writeVersion(tx, freezing, now);
}

function refuse({ archived, versions }: { archived: boolean; versions: number }, maxVersions: number): void {
  if (archived) throw datasetIsArchived();
  if (versions >= maxVersions)
    throw fault('state_conflict', {
      message: `The dataset has ${versions} versions and may have ${maxVersions}.`,
      details: { reason: 'max_versions_per_dataset', limit: maxVersions, actual: versions },
    });
}

async function summarise(sql: Sql, state: State): Promise<Summary> {
  const hash = createHash('sha256');
  const counts = { train: 0, test: 0 };
  const tokens: number[] = [];
  let bytes = 0n;
  for await (const batch of streamState(sql, state)) {
    const lines = Buffer.from(batch.map(lineOf).join(''));
    hash.update(lines);
    bytes += BigInt(lines.length);
    for (const example of batch) {
      counts[example.split]++;
      if (example.tokens !== null) tokens.push(example.tokens);
    }
  }
  const { train: trainCount, test: testCount } = counts;
  return {
    sha256: hash.digest('hex'),
    bytes,
    trainCount,
    testCount,
    tokenStats: tokenStatsOf(Uint32Array.from(tokens).sort()),
  };
}
