import { setTimeout as sleep } from 'node:timers/promises';
import type { Database, Sql } from '#db';
import { type CursorCodec, fault } from '#kernel';
import { canonicalJson } from '../content/canonical-json.ts';
import type { ExampleContent } from '../content/example-content.ts';
import { isFatal } from '../content/issues.ts';
import { wrongState } from './import-access.ts';
import {
  type ImportOptions,
  type ImportRecord,
  noRows,
  type RowCounts,
  type SampleRow,
  type SourceIssue,
} from './import-record.ts';
import type { ImportTask } from './import-task.ts';
import { findSample, lockImport, requestProfile, saveChoice, startImporting } from './imports.store.ts';
import { reloadImport } from './imports.ts';
import { isMapping, readMapping, type WireMapping } from './mapping/mapping.ts';
import { validateRow } from './profile/validate-row.ts';

export type PreviewRow = {
  line: number;
  source: unknown;
  example: { content: ExampleContent; split: 'train' | 'test' | null; tokens: number | null } | null;
  issues: SourceIssue[];
};

export type Preview = {
  rows: PreviewRow[];
  counts: RowCounts;
  willImport: number;
  willSkip: number;
  token: string;
};

export type PreviewDeps = { database: Database; cursors: CursorCodec; task: ImportTask };

export type PreviewRequest = { mapping: WireMapping | null; options: Partial<ImportOptions>; limit: number };

/** How long a preview waits for the profile of a file under another mapping. */
const waitMs = 20_000;
const pollMs = 100;

/**
 * Shows what an import would do under a mapping and options, with counts over every row. A mapping that the file was not
 * read under needs another profile: a small file is waited for, for a large one the caller is asked to come back.
 */
export async function previewImport(
  deps: PreviewDeps,
  address: ImportRecord,
  request: PreviewRequest,
): Promise<Preview> {
  const { database, cursors } = deps;
  const mapping = mappingOf(address, request);
  const record = await readUnder(deps, address, mapping);
  const options = { ...record.options, ...request.options };
  const saved = await database.transaction(async (tx) => {
    const now = await lockImport(tx, record);
    if (now?.state !== 'ready') throw wrongState(now?.state ?? 'canceled', ['ready']);
    if (now.profileNumber !== record.profileNumber) throw previewOutdated();
    await saveChoice(tx, now.id, { mapping, options });
    return reloadImport(tx, now);
  });
  const sample = await findSample(database, record.id);
  const counts = saved.counts ?? noRows;
  return {
    rows: sample.slice(0, request.limit).map((row) => showRow(row, saved, mapping)),
    counts,
    ...consequences(counts, options),
    token: tokenOf(cursors, saved),
  };
}

/** The requested mapping, else the one of the last preview, else the suggested one. */
function mappingOf(record: ImportRecord, { mapping }: PreviewRequest): WireMapping {
  if (record.state !== 'ready' || !record.profile) throw wrongState(record.state, ['ready']);
  const wire = mapping ?? record.mapping ?? record.profile.suggested_mapping;
  if (!wire)
    throw fault('invalid_request', {
      message: 'mapping: the shape of the file was not recognised; say which columns make an example.',
      param: 'mapping',
      details: { columns: record.profile.columns.map(({ name }) => name) },
    });
  const read = readMapping(wire, {
    kind: record.kind,
    columns: new Set(record.profile.columns.map(({ name }) => name)),
  });
  if (!isMapping(read))
    throw fault('invalid_request', { message: `${read.param}: ${read.message}`, param: read.param });
  return wire;
}

async function readUnder(
  { database, task }: PreviewDeps,
  record: ImportRecord,
  mapping: WireMapping,
): Promise<ImportRecord> {
  const isUnder = (read: ImportRecord) => read.mapping && canonicalJson(read.mapping) === canonicalJson(mapping);
  if (isUnder(record)) return record;
  await database.transaction(async (tx) => {
    const now = await lockImport(tx, record);
    if (now?.state !== 'ready') throw wrongState(now?.state ?? 'canceled', ['ready']);
    await requestProfile(tx, now.id, { ...now.readerOptions, mapping });
    await task.enqueue(tx, now.id);
  });
  const deadlineMs = performance.now() + waitMs;
  while (performance.now() < deadlineMs) {
    await sleep(pollMs);
    const now = await reloadImport(database, record);
    // Another preview may have had it read once more before this one looked: what was counted is not of this mapping.
    if (now.state === 'ready' && !isUnder(now)) throw previewOutdated();
    if (now.state === 'ready') return now;
    if (now.state !== 'uploaded' && now.state !== 'profiling') throw wrongState(now.state, ['ready']);
  }
  throw wrongState('profiling', ['ready']);
}

function showRow(row: SampleRow, { kind }: ImportRecord, mapping: WireMapping): PreviewRow {
  const { line, byteOffset: byte_offset, fields, excerpt, tokens } = row;
  const { issues } = row;
  const read = readMapping(mapping, { kind, columns: null });
  const source = { line, byteOffset: byte_offset, fields, problem: null, excerpt: () => excerpt };
  const example = isMapping(read) && !issues.some(isFatal) ? validateRow(source, kind, read).example : null;
  return {
    line,
    source: fields ?? excerpt,
    example: example && { content: example.content, split: example.split, tokens },
    issues: issues.map(({ pointer, code, message, hint }) => ({
      line,
      byte_offset,
      pointer,
      code,
      message,
      hint,
      excerpt,
    })),
  };
}

function consequences(
  { rows, valid, invalid, duplicates }: RowCounts,
  { on_invalid: onInvalid, dedupe }: ImportOptions,
): { willImport: number; willSkip: number } {
  const isRefused = onInvalid === 'reject' && invalid > 0;
  const willImport = isRefused ? 0 : valid - (dedupe === 'exact' ? duplicates : 0);
  return { willImport, willSkip: rows - willImport };
}

/**
 * Signs which file was read, how, and with which mapping and options; when one of these changes, an earlier token is
 * no longer valid.
 */
function tokenOf(cursors: CursorCodec, record: ImportRecord): string {
  return cursors.encode(tokenScope(record), [record.id]);
}

function tokenScope({ id, sha256, profileNumber, mapping, options }: ImportRecord): string[] {
  return ['import preview', id, sha256 ?? '', String(profileNumber), canonicalJson(mapping), canonicalJson(options)];
}

/** Lets a locked import be written as its preview has shown. Confirmed already, it stays as it is. */
export async function confirmImport(
  tx: Sql,
  record: ImportRecord,
  { token, cursors, task }: { token: string; cursors: CursorCodec; task: ImportTask },
): Promise<ImportRecord> {
  const isCurrent = isTokenOf(cursors, record, token);
  if (isCurrent && (record.state === 'importing' || record.state === 'completed')) return record;
  if (record.state !== 'ready') throw wrongState(record.state, ['ready']);
  if (!isCurrent || !record.counts)
    throw conflict('preview_outdated', 'The preview is not the latest one of this import. Ask for another.');
  const { invalid } = record.counts;
  if (record.options.on_invalid === 'reject' && invalid > 0)
    throw conflict('invalid_rows', `Rows that are not valid: ${invalid}. Mend them, or choose to skip them.`, {
      invalid,
    });
  if (consequences(record.counts, record.options).willImport === 0)
    throw conflict('nothing_to_import', 'No row of the file would be imported.');
  await startImporting(tx, record.id);
  await task.enqueue(tx, record.id);
  return reloadImport(tx, record);
}

function isTokenOf(cursors: CursorCodec, record: ImportRecord, token: string): boolean {
  try {
    return cursors.decode(tokenScope(record), token)[0] === record.id;
  } catch {
    return false;
  }
}

const previewOutdated = () =>
  conflict('preview_outdated', 'The file has been read under another mapping since. Ask again.');

function conflict(reason: string, message: string, more: object = {}) {
  return fault('state_conflict', { message, details: { reason, ...more } });
}
