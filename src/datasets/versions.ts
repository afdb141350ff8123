import { createHash } from 'node:crypto';
import type { Sql } from '#db';
import { fault, newId } from '#kernel';
import { lockDataset, type Split } from './dataset-writes.store.ts';
import { canonicalJson } from './example-content.ts';
import {
  type DatasetVersion,
  findVersionAt,
  insertVersion,
  listExamplesAt,
  type TokenStats,
  type VersionedExample,
  type VersionSource,
} from './versions.store.ts';

const batchSize = 1_000;

/** The examples of a state of a dataset in the order of their ids, a batch at a time. Only valid ones are in it. */
export async function* streamState(
  sql: Sql,
  state: { datasetId: string; seq: bigint; split?: Split | null },
): AsyncGenerator<VersionedExample[]> {
  let afterId = '';
  for (;;) {
    const batch = await listExamplesAt(sql, { ...state, split: state.split ?? null }, { afterId, limit: batchSize });
    const last = batch.at(-1);
    if (!last) return;
    yield batch;
    if (batch.length < batchSize) return;
    afterId = last.id;
  }
}

/** The examples of a version. */
export function streamVersion(
  sql: Sql,
  { datasetId, seq }: Pick<DatasetVersion, 'datasetId' | 'seq'>,
  { split = null }: { split?: Split | null } = {},
): AsyncGenerator<VersionedExample[]> {
  return streamState(sql, { datasetId, seq, split });
}

/** One line of a version, as downloads and its digest have it: no ids, so that equal content is equal. */
export function versionLine({ content, split }: Pick<VersionedExample, 'content' | 'split'>): string {
  return `${canonicalJson({ ...content, split })}\n`;
}

/**
 * Freezes what a dataset holds now. A state that has a version already gives that one. Rows never change once they are
 * written, so the dataset needs no lock while its digest is made.
 */
export async function freezeVersion(
  sql: Sql,
  { datasetId, label = null, source }: { datasetId: string; label?: string | null; source: VersionSource },
): Promise<{ version: DatasetVersion; isNew: boolean }> {
  const dataset = await lockDataset(sql, datasetId);
  if (!dataset) throw fault('not_found', { message: 'There is no such dataset.' });
  const seq = dataset.headSeq;
  const existing = await findVersionAt(sql, datasetId, seq);
  if (existing) return { version: existing, isNew: false };
  const summary = await summarise(sql, { datasetId, seq });
  const version = await insertVersion(sql, {
    ...{ id: newId('dsv'), datasetId, seq, label },
    ...summary,
    ...{ sourceKind: source.kind, sourceId: source.id },
  });
  // Somebody froze the same state meanwhile.
  const made = version ?? (await findVersionAt(sql, datasetId, seq));
  if (!made) throw new Error('A version was neither written nor found. This is a bug.');
  return { version: made, isNew: version !== null };
}

type Summary = Pick<DatasetVersion, 'sha256' | 'trainCount' | 'testCount' | 'tokenStats'>;

async function summarise(sql: Sql, state: { datasetId: string; seq: bigint }): Promise<Summary> {
  const hash = createHash('sha256');
  const counts = { train: 0, test: 0 };
  const tokens: number[] = [];
  for await (const batch of streamState(sql, state))
    for (const example of batch) {
      hash.update(versionLine(example));
      counts[example.split]++;
      if (example.tokens !== null) tokens.push(example.tokens);
    }
  const { train: trainCount, test: testCount } = counts;
  return { sha256: hash.digest('hex'), trainCount, testCount, tokenStats: statsOf(tokens) };
}

/** Zeros when nothing was counted. */
export function statsOf(counts: readonly number[]): TokenStats {
  const sorted = Uint32Array.from(counts).sort();
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const total = counts.reduce((sum, count) => sum + count, 0);
  return { min: at(0), p50: at(0.5), p95: at(0.95), max: at(1), total };
}
