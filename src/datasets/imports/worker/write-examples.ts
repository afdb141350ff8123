import { buffer } from 'node:stream/consumers';
import type { Sql, Transaction } from '#db';
import { contentHash } from '../../content/check-example.ts';
import { claimRoom, createDatasetEarly } from '../../datasets.ts';
import { type BulkCounts, bulkAdd } from '../../examples/bulk-add.ts';
import { type StorableExample, storable } from '../../examples/new-examples.ts';
import { freezeVersion, type SummarisedHead, writeVersion } from '../../versions/versions.ts';
import { recordImportActivity } from '../import-activity.ts';
import { listParts } from '../import-parts.store.ts';
import type { ImportRecord } from '../import-record.ts';
import { endImporting } from '../import-runs.store.ts';
import { keptFile, removeKept } from '../kept/kept-files.ts';
import { NotKept, openKeptRows } from '../kept/kept-rows.ts';
import { isMapping, type Mapping, readMapping } from '../mapping/mapping.ts';
import { assignSplit, splitDigest } from '../profile/assign-split.ts';
import { TokenCounts } from '../profile/token-counts.ts';
import { validateRow } from '../profile/validate-row.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import { openRows } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { fileBytes } from './file-bytes.ts';
import { checkDigest, keptOf } from './profile-import.ts';
import { ImportSuperseded } from './progress-reporter.ts';
import { type Job, tokenCounterOf } from './work-deps.ts';
import { writeKept } from './write-kept.ts';

/** Writes all examples of the file, their version and the end of the import: one transaction, all or nothing. */
export async function writeExamples(tx: Transaction, job: Job): Promise<{ datasetId: string }> {
  const datasetId = await datasetOf(tx, job);
  await endWriting(tx, job, { datasetId, ...(await addRows(tx, job, datasetId)) });
  return { datasetId };
}

async function endWriting(tx: Transaction, job: Job, written: Added & { datasetId: string }): Promise<void> {
  const { run } = job;
  const { datasetId, rows, valid, added, duplicates, head } = written;
  // The survey has counted the same file under the same mapping.
  if (rows !== run.counts?.rows || valid !== run.counts.valid)
    throw new ImportFailure('file_changed', 'The rows of the file are not those of its preview.');
  const versionId = await versionOf(tx, job, { datasetId, head });
  if (run.datasetId === null) await claimRoom(tx, { project: projectOf(run), maxDatasets: job.bounds.maxDatasets });
  const counts = { ...run.counts, duplicates: run.options.dedupe === 'exact' ? duplicates : run.counts.duplicates };
  const result = { versionId, examplesAdded: added, rowsSkipped: rows - added };
  if (!(await endImporting(tx, run.id, { datasetId, counts, ...result })))
    throw new ImportSuperseded('The import was canceled.');
  await recordImportActivity(tx, run, 'completed', {
    examples_added: added,
    rows_skipped: result.rowsSkipped,
    dataset_id: datasetId,
  });
  job.progress.check();
}

type Added = BulkCounts & {
  rows: number;
  valid: number;
  head: SummarisedHead | null;
};

/** The rows that the survey has kept, or else those of the file, read anew. */
async function addRows(tx: Transaction, job: Job, datasetId: string): Promise<Added> {
  const { run, bounds, keptDir } = job;
  const file = keptFile(keptDir, { importId: run.id, reading: run.reading });
  const kept = await openKeptRows(file, keptOf(run, run.mapping));
  if (!kept) {
    const seen = { rows: 0, valid: 0, invalid: 0 };
    const { dedupe } = run.options;
    const examples = examplesOf(job, seen);
    const counts = await bulkAdd(tx, { datasetId, examples, dedupe, maxExamples: bounds.maxExamples });
    return { ...counts, rows: seen.rows, valid: seen.valid, head: null };
  }
  try {
    const known = { tokens: await tokensOf(job), maxTokens: await maxTokensOf(job) };
    const { seq, summary, ...counts } = await writeKept(tx, { job, datasetId, kept, known });
    return { ...counts, rows: kept.rows, valid: kept.valid, head: summary && { seq, existing: null, summary } };
  } catch (error) {
    // The next attempt reads the file.
    if (error instanceof NotKept) await removeKept(keptDir, run.id);
    throw error;
  } finally {
    await kept.close().catch(() => {});
  }
}

function authorOf({ run }: Job) {
  return {
    accountId: run.accountId,
    actor: run.createdBy,
    project: { ownerSlug: run.ownerSlug, slug: run.projectSlug },
    ...(run.requestId === null ? {} : { requestId: run.requestId }),
  };
}

async function datasetOf(tx: Sql, job: Job): Promise<string> {
  const { run, bounds } = job;
  if (run.datasetId !== null) return run.datasetId;
  const project = projectOf(run);
  const name = run.datasetName ?? run.fileName;
  const { id } = await createDatasetEarly(tx, {
    project,
    name,
    author: authorOf(job),
    maxDatasets: bounds.maxDatasets,
  });
  return id;
}

const projectOf = ({ projectId, kind }: Job['run']) => ({ id: projectId, kind });

type ToFreeze = { datasetId: string; head: SummarisedHead | null };

async function versionOf(tx: Sql, job: Job, { datasetId, head }: ToFreeze): Promise<string> {
  job.progress.set({ phase: 'freezing', rowsDone: job.run.rowsTotal ?? 0, percent: 99 });
  const source = { kind: 'import', id: job.run.id } as const;
  const freezing = { datasetId, source, author: authorOf(job), maxVersions: job.bounds.maxVersions };
  const { version } = await (head ? writeVersion(tx, freezing, head) : freezeVersion(tx, freezing));
  return version.id;
}

type Seen = { rows: number; valid: number; invalid: number };

/** The examples of the file, as its rows are read. */
async function* examplesOf(job: Job, seen: Seen): AsyncGenerator<StorableExample[]> {
  const { run, database, objects, bounds, tempDir, progress } = job;
  const tokens = await tokensOf(job);
  const mapping = mappingOf(run);
  const maxTokens = await maxTokensOf(job);
  const bytes = fileBytes(objects, await listParts(database, run.id));
  try {
    const file = await openRows(
      { name: run.fileName, sizeBytes: run.sizeBytes, bytes },
      { options: readingOf(run), bounds, tempDir },
    );
    for await (const rows of file.rows) {
      progress.check();
      yield rows.flatMap((row) => exampleOf(row, { run, mapping, seen, tokens, maxTokens }));
      progress.set({
        phase: 'writing',
        rowsDone: seen.rows,
        percent: Math.min(98, Math.floor((seen.rows / (run.counts?.rows ?? 1)) * 98)),
      });
    }
    await checkDigest(file.finish, run.sha256);
  } finally {
    bytes.destroy();
  }
}

/** Read as the survey has read it: what was found out then holds. */
function readingOf({ asked, profile }: ImportRecord) {
  return profile ? { format: profile.format, encoding: profile.encoding, delimiter: profile.delimiter } : asked;
}

async function tokensOf({ run, objects }: Job): Promise<TokenCounts> {
  if (run.tokensKey === null) throw new Error('An import without counted rows is written. This is a bug.');
  return TokenCounts.fromBytes(await buffer(await objects.get(run.tokensKey)));
}

async function maxTokensOf(job: Job): Promise<number | null> {
  return (await tokenCounterOf(job))?.maxTokens ?? null;
}

function mappingOf({ mapping, kind }: ImportRecord): Mapping {
  const read = mapping && readMapping(mapping, { kind, columns: null });
  if (!read || !isMapping(read)) throw new Error('An import without a mapping is written. This is a bug.');
  return read;
}

type About = { run: ImportRecord; mapping: Mapping; seen: Seen; tokens: TokenCounts; maxTokens: number | null };

function exampleOf(row: SourceRow, about: About): StorableExample[] {
  const { run, mapping, seen, tokens, maxTokens } = about;
  const { example, issues } = validateRow(row, run.kind, mapping);
  const index = seen.rows++;
  if (!example) {
    seen.invalid++;
    return [];
  }
  seen.valid++;
  const { content, json, split: said } = example;
  const split = said ?? assignSplit(splitDigest(content, contentHash(json)), run.options);
  const origin = { split, origin: 'import', originId: run.id } as const;
  return [storable(origin, { content, json, issues, tokens: tokens.at(index), maxTokens }).example];
}
