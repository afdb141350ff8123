import { availableParallelism } from 'node:os';
import { PassThrough, Readable } from 'node:stream';
import type { Sql } from '#db';
import { Fault } from '#kernel';
import { canonicalJson } from '../../content/canonical-json.ts';
import { findLiveContents } from '../../examples/same-content.store.ts';
import { replaceIssues } from '../import-issues.store.ts';
import { listParts } from '../import-parts.store.ts';
import { endReading, noteObjects } from '../import-runs.store.ts';
import { RowKeeper } from '../kept/keep-rows.ts';
import { keptFile, removeKept } from '../kept/kept-files.ts';
import type { KeptOf } from '../kept/kept-format.ts';
import type { WireMapping } from '../mapping/mapping.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import { openRows } from '../reading/open-rows.ts';
import { survey } from '../survey/survey.ts';
import type { SurveyOptions } from '../survey/survey-options.ts';
import { fileBytes } from './file-bytes.ts';
import { Unwanted } from './pulse.ts';
import { type Job, surveyRulerFor } from './room.ts';

/** Reads the whole file and makes the import ready. */
export async function readFile(job: Job): Promise<void> {
  const { run, database, objects, pulse } = job;
  // An attempt whose worker died may still be writing: the next one has other objects. One that lived to tell its end is given
  // back, and the next has its number: a store that is away for hours makes no new rows.
  const place = `imports/${run.id}/reading-${run.reading}-${run.attempts}`;
  const keys = { issuesKey: `${place}.issues.ndjson`, tokensKey: `${place}.tokens` };
  await noteObjects(database, run.id, keys);
  const lines = new PassThrough();
  const storing = objects.put(keys.issuesKey, lines, { signal: pulse.signal });
  // Its failure is told where it is waited for.
  storing.catch(() => lines.destroy());
  await removeKept(job.keptDir, run.id);
  const keeper = new RowKeeper(keptFile(job.keptDir, { importId: run.id, reading: run.reading }));
  try {
    const found = await surveyed(job, { writeIssue: (line) => void lines.write(line), keeper });
    lines.end();
    await Promise.all([
      storing,
      objects.put(keys.tokensKey, Readable.from([found.tokens.toBytes()])),
      keeper.end({ ...keptOf(run, found.mapping), rows: found.profile.counts.rows }),
    ]);
    const { tellOfImport } = await import('../tell.ts');
    await database.transaction(async (tx) => {
      if (!(await endReading(tx, { importId: run.id, reading: run.reading }, found)))
        throw new Unwanted('Another reading was asked for.');
      await replaceIssues(tx, run.id, found.issues);
      // Only the first time: whoever looks at previews needs no news of each.
      if (run.profile === null) await tellOfImport(tx, run, 'ready', found.profile.counts);
    });
  } catch (error) {
    lines.destroy();
    await storing.catch(() => {});
    await keeper.discard();
    throw error;
  }
}

/** What rows must be kept of, so that an import may take them for those of its preview. */
export function keptOf({ id, reading, sha256 }: Job['run'], mapping: WireMapping | null): KeptOf {
  return { importId: id, reading, sha256: sha256 ?? '', mapping: canonicalJson(mapping) };
}

type Notes = { writeIssue: (line: string) => void; keeper: RowKeeper };

async function surveyed(job: Job, { writeIssue, keeper }: Notes) {
  const { run, database, objects, bounds, tempDir, pulse } = job;
  const bytes = fileBytes(objects, await listParts(database, run.id));
  try {
    const file = await openRows(
      { name: run.fileName, sizeBytes: run.sizeBytes, bytes },
      { options: run.asked, bounds, tempDir },
    );
    // What will be needed at the end is loaded while the tokeniser begins (`work.ts`).
    const [ruler] = await Promise.all([surveyRulerFor(job), import('../tell.ts')]);
    const found = await survey(file, {
      kind: run.kind,
      mapping: run.asked.mapping,
      sampleRows: run.asked.sampleRows,
      maxRows: bounds.maxRows,
      ruler,
      findExisting: run.datasetId === null ? null : existingIn(database, run.datasetId),
      writeIssue,
      keep: (row) => keeper.keep(row),
      threads: threadsFor(run.sizeBytes * (file.gzip ? usualRatio : 1)),
      onRows: async (rowsDone) => {
        pulse.check();
        await keeper.settle();
        pulse.set({ phase: 'reading', rowsDone, percent: percentOf(file.bytesRead(), run.sizeBytes) });
      },
    }).catch((error: unknown) => {
      throw failureOfText(error);
    });
    await checkDigest(file.finish, run.sha256);
    return found;
  } finally {
    bytes.destroy();
  }
}

/** A text that the tokeniser cannot read is one of the file: reading it once more would not help. */
function failureOfText(error: unknown): unknown {
  if (!(error instanceof Fault) || error.fault !== 'invalid_request') return error;
  return new ImportFailure('unreadable', `A text of the file cannot be counted. ${error.message}`);
}

function existingIn(sql: Sql, datasetId: string): NonNullable<SurveyOptions['findExisting']> {
  const hexOf = (hash: Buffer) => hash.toString('hex');
  return (hashes) => findLiveContents(sql, datasetId, hashes.map(hexOf));
}

/** What was read must be what was uploaded, or counts and previews would be of another file. */
export async function checkDigest(finish: () => Promise<string>, expected: string | null): Promise<void> {
  if ((await finish()) !== expected)
    throw new ImportFailure('file_changed', 'The stored file is not the one that was uploaded.', {
      hint: 'Upload it again.',
    });
}

/** Starting threads takes as long as some megabytes of rows. */
const worthThreadsBytes = 8 << 20;
/** What packing makes of text. */
const usualRatio = 5;
/** More would not fit into the memory of a worker. */
const mostThreads = 2;

/** This thread reads, and puts together what the others find. */
function threadsFor(textBytes: number): number {
  const processors = availableParallelism();
  return processors < 2 || textBytes < worthThreadsBytes ? 0 : Math.min(mostThreads, processors);
}

function percentOf(done: number, total: number): number {
  // The last percent is for what follows.
  return Math.min(99, Math.floor((done / total) * 100));
}
