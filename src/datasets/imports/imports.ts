import { systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import { takeStorage } from '#limits';
import { datasetIsArchived } from '../dataset-access.ts';
import { readDataset } from '../datasets.ts';
import type { DatasetLimits } from '../limits.ts';
import { type ImportAuthor, wrongState } from './import-access.ts';
import { recordImportActivity } from './import-activity.ts';
import { defaultOptions, type ImportRecord, type ImportState } from './import-record.ts';
import type { ImportTask } from './import-task.ts';
import {
  cancelLocked,
  countOpenImports,
  findImport,
  insertImport,
  listCancelableImports,
  lockImport,
  requestProfile,
} from './imports.store.ts';
import { isKnownEncoding } from './reading/encoding.ts';
import type { FileFormat } from './reading/source-row.ts';

/** Open imports that a project may have: each may store a file. */
const maxOpenImports = 100;
const defaultSampleRows = 100;

export type ImportRequest = {
  datasetId: string | null;
  datasetName: string | null;
  fileName: string;
  sizeBytes: number;
  format: FileFormat | null;
  sheet: string | null;
  sha256: string | null;
};

export async function createImport(
  tx: Sql,
  request: ImportRequest,
  { author, limits }: { author: ImportAuthor; limits: Pick<DatasetLimits, 'maxImportBytes'> },
): Promise<ImportRecord> {
  const { project } = author;
  const fileName = checkFileName(request.fileName);
  checkSize(request.sizeBytes, limits.maxImportBytes);
  await checkTarget(tx, request, project.id);
  if ((await countOpenImports(tx, project.id)) >= maxOpenImports)
    throw fault('state_conflict', {
      message: `The project has ${maxOpenImports} imports in flight. Confirm or cancel some first.`,
      details: { reason: 'max_open_imports', limit: maxOpenImports },
    });
  await takeStorage(tx, { projectId: project.id, bytes: request.sizeBytes });
  const id = newId('imp');
  const { datasetId, datasetName, sizeBytes, format, sheet } = request;
  await insertImport(tx, {
    id,
    projectId: project.id,
    datasetId,
    datasetName,
    fileName,
    sizeBytes,
    expectedSha256: request.sha256?.toLowerCase() ?? null,
    readerOptions: { format, encoding: null, delimiter: null, sheet, sampleRows: defaultSampleRows, mapping: null },
    options: defaultOptions,
    createdBy: author.actor,
    requestId: author.requestId,
  });
  return reloadImport(tx, { projectId: project.id, id });
}

/**
 * Keeps the last part of a path: the name is shown and hints at the format, but folders of the caller's disk are
 * private.
 */
function checkFileName(sent: string): string {
  const name = sent.split(/[/\\]/).at(-1) ?? '';
  if (name !== '' && name.length <= 255 && name.isWellFormed() && !/\p{Cc}/u.test(name)) return name;
  throw fault('invalid_request', { message: 'file_name: expected a name of 1 to 255 characters.', param: 'file_name' });
}

function checkSize(sizeBytes: number, limit: number): void {
  if (sizeBytes <= limit) return;
  throw fault('invalid_request', {
    message: `size_bytes: a file may have at most ${limit} bytes.`,
    param: 'size_bytes',
    details: { limit, actual: sizeBytes },
  });
}

async function checkTarget(tx: Sql, { datasetId, datasetName }: ImportRequest, projectId: string): Promise<void> {
  if ((datasetId === null) === (datasetName === null))
    throw fault('invalid_request', {
      message: 'dataset_id: expected either dataset_id or dataset_name.',
      param: 'dataset_id',
    });
  if (datasetName !== null) checkDisplayName(datasetName, 'dataset_name');
  if (datasetId === null) return;
  const { archivedAt } = await readDataset(tx, { projectId, id: datasetId });
  if (archivedAt !== null) throw datasetIsArchived();
}

export async function reloadImport(sql: Sql, address: { projectId: string; id: string }): Promise<ImportRecord> {
  const record = await findImport(sql, address);
  if (!record) throw new Error('An import that was written is not there. This is a bug.');
  return record;
}

export type ProfileRequest = {
  format?: FileFormat | undefined;
  encoding?: string | undefined;
  delimiter?: string | undefined;
  sheet?: string | undefined;
  sampleRows?: number | undefined;
};

/** These separate rows or quote values, so they cannot separate values. */
const marks = '"\r\n';

const mayBeProfiled: readonly ImportState[] = ['uploaded', 'profiling', 'ready'];

/** Requests a profile of a locked import; options that are left out are detected. The same request while it runs changes nothing. */
export async function requestAnotherProfile(
  tx: Sql,
  record: ImportRecord,
  { request, task }: { request: ProfileRequest; task: ImportTask },
): Promise<ImportRecord> {
  if (!mayBeProfiled.includes(record.state)) throw wrongState(record.state, mayBeProfiled);
  const { format = null, encoding = null, delimiter = null, sheet = null, sampleRows = defaultSampleRows } = request;
  if (encoding !== null && !isKnownEncoding(encoding))
    throw fault('invalid_request', { message: 'encoding: this encoding is not known.', param: 'encoding' });
  if (delimiter !== null && marks.includes(delimiter))
    throw fault('invalid_request', {
      message: 'delimiter: a quote or a line break has another meaning in the file.',
      param: 'delimiter',
    });
  const sheets = record.profile?.sheets;
  if (sheet !== null && sheets && !sheets.includes(sheet))
    throw fault('invalid_request', {
      message: 'sheet: the workbook has no sheet of this name.',
      param: 'sheet',
      details: { sheets },
    });
  const next = { format, encoding: encoding?.toLowerCase() ?? null, delimiter, sheet, sampleRows, mapping: null };
  const { mapping: _, ...before } = record.readerOptions;
  const isSame = Object.entries(before).every(([name, value]) => Reflect.get(next, name) === value);
  if (isSame && record.state !== 'ready') return record;
  await requestProfile(tx, record.id, next);
  await task.enqueue(tx, record.id);
  return reloadImport(tx, record);
}

const mayBeCanceled: readonly ImportState[] = [
  'awaiting_upload',
  'uploaded',
  'profiling',
  'ready',
  'importing',
  'canceling',
];

/** Without a request it is the service itself. */
type CancelAuthor = Omit<ImportAuthor, 'requestId'> & { requestId: string | null };

export async function cancelImport(
  tx: Sql,
  record: ImportRecord,
  { author, task }: { author: CancelAuthor; task: ImportTask },
): Promise<ImportRecord> {
  const { state, id } = record;
  if (state === 'canceled' || state === 'canceling') return record;
  if (!mayBeCanceled.includes(state)) throw wrongState(state, mayBeCanceled);
  if (state === 'importing') {
    await cancelLocked(tx, id, 'canceling');
    // A living worker notices the change itself; if it is gone, another one completes the cancellation.
    await task.enqueue(tx, id);
    return reloadImport(tx, record);
  }
  await cancelLocked(tx, id, 'canceled');
  const { project, actor, requestId } = author;
  const about = { ...record, accountId: project.accountId, ownerSlug: project.ownerSlug, projectSlug: project.slug };
  await recordImportActivity(tx, about, 'canceled', {}, { actor, requestId });
  return reloadImport(tx, record);
}

/** Cancels the imports of a project that are at work, each in a transaction of its own. */
export async function cancelImportsIn(
  database: Database,
  { project, task }: { project: ImportAuthor['project']; task: ImportTask },
): Promise<void> {
  const author = { actor: systemActor, requestId: null, project };
  for (const id of await listCancelableImports(database, project.id))
    await database.transaction(async (tx) => {
      const record = await lockImport(tx, { projectId: project.id, id });
      if (record && mayBeCanceled.includes(record.state)) await cancelImport(tx, record, { author, task });
    });
}
