import { PassThrough, Readable } from 'node:stream';
import type { Sql } from '#db';
import { Fault } from '#kernel';
import { findLiveContents } from '../../examples/same-content.store.ts';
import { recordImportActivity } from '../import-activity.ts';
import { replaceIssues } from '../import-issues.store.ts';
import { listParts } from '../import-parts.store.ts';
import { endProfiling, recordObjects } from '../import-runs.store.ts';
import type { FileProfile, ProfileOptions } from '../profile/profile-builder.ts';
import { profileFile } from '../profile/profile-file.ts';
import { ImportFailure } from '../reading/import-failure.ts';
import { openRows } from '../reading/open-rows.ts';
import { fileBytes } from './file-bytes.ts';
import { ImportSuperseded } from './progress-reporter.ts';
import { type Job, tokenCounterOf } from './work-deps.ts';

export async function profileImport(job: Job): Promise<void> {
  const { run, database, objects, progress } = job;
  // An attempt whose worker died may still be writing: the next one has other objects. One that lived to report its end is given
  // back, and the next has its number: a store that is away for hours makes no new rows.
  const prefix = `imports/${run.id}/profile-${run.profileNumber}-${run.attempts}`;
  const keys = { issuesKey: `${prefix}.issues.ndjson`, tokensKey: `${prefix}.tokens` };
  await recordObjects(database, run.id, keys);
  const issueLines = new PassThrough();
  const storing = objects.put(keys.issuesKey, issueLines, { signal: progress.signal });
  // Its failure is reported where it is awaited.
  storing.catch(() => issueLines.destroy());
  try {
    const profile = await profileUpload(job, (line) => void issueLines.write(line));
    issueLines.end();
    await Promise.all([storing, objects.put(keys.tokensKey, Readable.from([profile.tokens.toBytes()]))]);
    await database.transaction(async (tx) => {
      if (!(await endProfiling(tx, { importId: run.id, profileNumber: run.profileNumber }, profile)))
        throw new ImportSuperseded('Another profile was requested.');
      await replaceIssues(tx, run.id, profile.issues);
      // Only the first time: whoever looks at previews needs no news of each.
      if (run.profile === null) await recordImportActivity(tx, run, 'ready', profile.counts);
    });
  } catch (error) {
    issueLines.destroy();
    await storing.catch(() => {});
    throw error;
  }
}

async function profileUpload(job: Job, writeIssue: ProfileOptions['writeIssue']): Promise<FileProfile> {
  const { run, database, objects, bounds, tempDir, progress } = job;
  const bytes = fileBytes(objects, await listParts(database, run.id));
  try {
    const file = await openRows(
      { name: run.fileName, sizeBytes: run.sizeBytes, bytes },
      { options: run.readerOptions, bounds, tempDir },
    );
    const tokenCounter = await tokenCounterOf(job);
    const profile = await profileFile(file, {
      kind: run.kind,
      mapping: run.readerOptions.mapping,
      sampleRows: run.readerOptions.sampleRows,
      maxRows: bounds.maxRows,
      tokenCounter,
      findExisting: run.datasetId === null ? null : existingIn(database, run.datasetId),
      writeIssue,
      onProgress: (rowsDone) => {
        progress.check();
        progress.set({ phase: 'reading', rowsDone, percent: percentOf(file.bytesRead(), run.sizeBytes) });
      },
    }).catch((error: unknown) => {
      throw failureOfText(error);
    });
    await checkDigest(file.finish, run.sha256);
    return profile;
  } finally {
    bytes.destroy();
  }
}

/** A text that the tokeniser cannot read is one of the file: reading it once more would not help. */
function failureOfText(error: unknown): unknown {
  if (!(error instanceof Fault) || error.fault !== 'invalid_request') return error;
  return new ImportFailure('unreadable', `A text of the file cannot be counted. ${error.message}`);
}

function existingIn(sql: Sql, datasetId: string): NonNullable<ProfileOptions['findExisting']> {
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

function percentOf(done: number, total: number): number {
  // The last percent is for what follows.
  return Math.min(99, Math.floor((done / total) * 100));
}
