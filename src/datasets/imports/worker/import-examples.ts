import { buffer } from 'node:stream/consumers';
import type { Sql, Transaction } from '#db';
import { contentHash } from '../../content/check-example.ts';
import { claimDatasetSlot, createDatasetEarly } from '../../datasets.ts';
import { assignSplit } from '../../examples/assign-split.ts';
import { bulkAdd } from '../../examples/bulk-add.ts';
import { issuesOf, type StorableExample } from '../../examples/new-examples.ts';
import { freezeVersion, writeVersion } from '../../versions/versions.ts';
import { recordImportActivity } from '../import-activity.ts';
import { listParts } from '../import-parts.store.ts';
import type { ImportRecord } from '../import-record.ts';
import { endImporting } from '../import-runs.store.ts';
import { isMapping, type Mapping, readMapping } from '../mapping/mapping.ts';
import { TokenCounts } from '../profile/token-counts.ts';
import { validateRow } from '../profile/validate-row.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import { openRows } from '../reading/open-rows.ts';
import type { SourceRow } from '../reading/source-row.ts';
import { fileBytes } from './file-bytes.ts';
import { checkDigest } from './profile-import.ts';
import { ImportSuperseded } from './progress-reporter.ts';
import { VersionDigest } from './version-digest.ts';
import { type Job, tokenCounterOf } from './work-deps.ts';

/** Writes all examples of the file, their version and the end of the import: one transaction, all or nothing. */
export async function importExamples(tx: Transaction, job: Job): Promise<void> {
  const { run, progress } = job;
  const datasetId = run.datasetId ?? (await createDataset(tx, job));
  // A new dataset has nothing but these examples.
  const digest = run.datasetId === null ? await VersionDigest.create(job.tempDir) : null;
  try {
    await addAndFreeze(tx, job, { datasetId, digest });
  } finally {
    await digest?.close();
  }
  progress.check();
}

type Target = { datasetId: string; digest: VersionDigest | null };

async function addAndFreeze(tx: Transaction, job: Job, { datasetId, digest }: Target): Promise<void> {
  const { run, bounds } = job;
  const read = { rows: 0, valid: 0 };
  const { dedupe } = run.options;
  const { added, duplicates } = await bulkAdd(tx, {
    datasetId,
    examples: readExamples(job, read),
    dedupe,
    maxExamples: bounds.maxExamples,
    onAdded: async (examples) => digest?.add(examples),
  });
  // The profile has counted the same file under the same mapping.
  if (read.rows !== run.counts?.rows || read.valid !== run.counts.valid)
    throw new ImportFailure('file_changed', 'The rows of the file are not those of its preview.');
  const versionId = await createVersion(tx, job, { datasetId, digest });
  if (run.datasetId === null) await claimDatasetSlot(tx, { project: projectOf(run), maxDatasets: bounds.maxDatasets });
  const counts = { ...run.counts, duplicates: dedupe === 'exact' ? duplicates : run.counts.duplicates };
  const result = { version_id: versionId, examples_added: added, rows_skipped: read.rows - added };
  if (!(await endImporting(tx, run.id, { datasetId, counts, result })))
    throw new ImportSuperseded('The import was canceled.');
  await recordImportActivity(tx, run, 'completed', {
    examples_added: added,
    rows_skipped: result.rows_skipped,
    dataset_id: datasetId,
  });
}

async function createDataset(tx: Sql, job: Job): Promise<string> {
  const { run, bounds } = job;
  const { id } = await createDatasetEarly(tx, {
    project: projectOf(run),
    name: run.datasetName ?? run.fileName,
    author: authorOf(job),
    maxDatasets: bounds.maxDatasets,
  });
  return id;
}

async function createVersion(tx: Sql, job: Job, { datasetId, digest }: Target): Promise<string> {
  const { run, bounds, progress } = job;
  progress.set({ phase: 'freezing', rowsDone: run.rowsTotal ?? 0, percent: 99 });
  const freezing = {
    datasetId,
    source: { kind: 'import' as const, id: run.id },
    author: authorOf(job),
    maxVersions: bounds.maxVersions,
  };
  const { version } = digest
    ? await writeVersion(tx, freezing, { seq: firstSeq, existing: null, summary: await digest.summary() })
    : await freezeVersion(tx, freezing);
  return version.id;
}

/** Of the first change of a dataset. */
const firstSeq = 1n;

const projectOf = ({ projectId, kind }: ImportRecord) => ({ id: projectId, kind });

function authorOf({ run }: Job) {
  return {
    accountId: run.accountId,
    actor: run.createdBy,
    project: { ownerSlug: run.ownerSlug, slug: run.projectSlug },
    ...(run.requestId === null ? {} : { requestId: run.requestId }),
  };
}

/** Reads the file once more, as its profile has read it, and gives the examples of its rows. */
async function* readExamples(job: Job, read: { rows: number; valid: number }): AsyncGenerator<StorableExample[]> {
  const { run, database, objects, bounds, tempDir, progress } = job;
  const tokens = await tokensOf(job);
  const mapping = mappingOf(run);
  const maxTokens = (await tokenCounterOf(job))?.maxTokens ?? null;
  const bytes = fileBytes(objects, await listParts(database, run.id));
  try {
    const file = await openRows(
      { name: run.fileName, sizeBytes: run.sizeBytes, bytes },
      { options: run.profile ?? run.readerOptions, bounds, tempDir },
    );
    for await (const rows of file.rows) {
      progress.check();
      const examples: StorableExample[] = [];
      for (const row of rows) {
        const example = exampleOf(row, { run, mapping, tokens: tokens.at(read.rows++), maxTokens });
        if (example) examples.push(example);
      }
      read.valid += examples.length;
      yield examples;
      progress.set({
        phase: 'writing',
        rowsDone: read.rows,
        percent: Math.min(98, Math.floor((read.rows / (run.counts?.rows ?? 1)) * 98)),
      });
    }
    await checkDigest(file.finish, run.sha256);
  } finally {
    bytes.destroy();
  }
}

async function tokensOf({ run, objects }: Job): Promise<TokenCounts> {
  if (run.tokensKey === null) throw new Error('An import without counted rows is written. This is a bug.');
  return TokenCounts.fromBytes(await buffer(await objects.get(run.tokensKey)));
}

function mappingOf({ mapping, kind }: ImportRecord): Mapping {
  const read = mapping && readMapping(mapping, { kind, columns: null });
  if (!read || !isMapping(read)) throw new Error('An import without a mapping is written. This is a bug.');
  return read;
}

type RowContext = {
  run: ImportRecord;
  mapping: Mapping;
  tokens: ReturnType<TokenCounts['at']>;
  maxTokens: number | null;
};

/** Null: the row makes no example. */
function exampleOf(row: SourceRow, { run, mapping, tokens, maxTokens }: RowContext): StorableExample | null {
  const { example, issues } = validateRow(row, run.kind, mapping);
  if (!example) return null;
  const { content, json } = example;
  const hash = contentHash(json);
  return {
    origin: 'import',
    originId: run.id,
    split: example.split ?? assignSplit(content, hash, run.options),
    json,
    bytes: Buffer.byteLength(json),
    hash,
    tokens: tokens?.tokens ?? null,
    valid: tokens === null || maxTokens === null || tokens.longest <= maxTokens,
    issues: [...issues, ...issuesOf(tokens, maxTokens)],
  };
}
