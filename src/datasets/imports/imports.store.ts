import { type Sql, timeText } from '#db';
import { type Listed, type ListPosition, parseExactJson } from '#kernel';
import type { ImportOptions, ImportRecord, ImportState, ReaderOptions, SampleRow } from './import-record.ts';
import type { WireMapping } from './mapping/mapping.ts';

export const importColumns = `i.id, i.project_id as "projectId", p.kind, i.dataset_id as "datasetId",
  i.dataset_name as "datasetName", i.state, i.file_name as "fileName", i.size_bytes::float8 as "sizeBytes",
  i.received_bytes::float8 as "receivedBytes", i.expected_sha256 as "expectedSha256", i.sha256, i.reader_options as "readerOptions", i.profile_number as "profileNumber", i.profile,
  i.mapping, i.options, i.counts, i.phase, i.rows_done::float8 as "rowsDone", i.rows_total::float8 as "rowsTotal", i.percent,
  i.attempts, i.issues_key as "issuesKey", i.tokens_key as "tokensKey", i.result, i.error, i.created_by as "createdBy",
  i.request_id as "requestId", i.expires_at as "expiresAt", i.finished_at as "finishedAt", i.created_at as "createdAt",
  i.updated_at as "updatedAt"`;

const tables = 'imports i join projects p on p.id = i.project_id';

type Address = { projectId: string; id: string };

export async function findImport(sql: Sql, { projectId, id }: Address): Promise<ImportRecord | null> {
  const [row] = await sql.query<ImportRecord>(
    `select ${importColumns} from ${tables} where i.id = $1 and i.project_id = $2`,
    [id, projectId],
    { name: 'imports.find' },
  );
  return row ?? null;
}

/** The import, locked until the transaction ends: what is decided about its state holds. */
export async function lockImport(tx: Sql, { projectId, id }: Address): Promise<ImportRecord | null> {
  const locked = await tx.query('select from imports where id = $1 and project_id = $2 for no key update', [
    id,
    projectId,
  ]);
  return locked.length === 0 ? null : findImport(tx, { projectId, id });
}

export type NewImport = Pick<
  ImportRecord,
  | 'id'
  | 'projectId'
  | 'datasetId'
  | 'datasetName'
  | 'fileName'
  | 'sizeBytes'
  | 'expectedSha256'
  | 'readerOptions'
  | 'options'
  | 'createdBy'
  | 'requestId'
>;

export async function insertImport(tx: Sql, row: NewImport): Promise<void> {
  await tx.query(
    `insert into imports (id, project_id, dataset_id, dataset_name, state, file_name, size_bytes, expected_sha256, reader_options,
       options, created_by, request_id, expires_at)
     values ($1, $2, $3, $4, 'awaiting_upload', $5, $6, $7, $8, $9, $10, $11, now() + interval '24 hours')`,
    [
      ...[row.id, row.projectId, row.datasetId, row.datasetName, row.fileName, row.sizeBytes, row.expectedSha256],
      ...[storedJson(row.readerOptions), storedJson(row.options), storedJson(row.createdBy), row.requestId],
    ],
  );
}

/** Open imports of a project. Until the transaction ends, nobody else adds one to it. */
export async function countOpenImports(tx: Sql, projectId: string): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('imports of ' || $1, 0))`, [projectId]);
  const [row] = await tx.query<{ open: number }>(
    'select count(*)::integer as open from imports where project_id = $1 and finished_at is null',
    [projectId],
  );
  return row?.open ?? 0;
}

/** Imports at work: they keep their project out of the archive. */
export async function countRunningImports(sql: Sql, projectId: string): Promise<number> {
  const [row] = await sql.query<{ running: number }>(
    `select count(*)::integer as running from imports
      where project_id = $1 and finished_at is null and state in ('uploaded', 'profiling', 'importing', 'canceling')`,
    [projectId],
  );
  return row?.running ?? 0;
}

/** Imports of a project at work that are not being cancelled yet. */
export async function listCancelableImports(sql: Sql, projectId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select id from imports
      where project_id = $1 and finished_at is null and state in ('uploaded', 'profiling', 'importing') order by id`,
    [projectId],
  );
  return rows.map(({ id }) => id);
}

export type ImportFilter = { projectId: string; state: ImportState | null; datasetId: string | null };
const matches = `i.project_id = $1 and ($2::text is null or i.state = $2) and ($3::text is null or i.dataset_id = $3)`;

export function listImports(
  sql: Sql,
  { projectId, state, datasetId }: ImportFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<ImportRecord>[]> {
  return sql.query(
    `select ${importColumns}, ${timeText('i.created_at')} as position
       from ${tables}
      where ${matches} and (i.created_at, i.id) < ($4::timestamptz, $5)
      order by i.created_at desc, i.id desc limit $6`,
    [projectId, state, datasetId, after.createdAt, after.id, limit],
  );
}

export async function countImports(sql: Sql, { projectId, state, datasetId }: ImportFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from imports i where ${matches}`,
    [projectId, state, datasetId],
  );
  return row?.total ?? 0;
}

export async function findSample(sql: Sql, id: string): Promise<SampleRow[]> {
  const [row] = await sql.query<{ sample: string | null }>('select sample::text as sample from imports where id = $1', [
    id,
  ]);
  // as: written by this room.
  return row?.sample ? (parseExactJson(row.sample) as SampleRow[]) : [];
}

export async function requestProfile(tx: Sql, id: string, options: ReaderOptions): Promise<void> {
  await tx.query(
    `update imports set state = 'uploaded', reader_options = $2, profile_number = profile_number + 1, attempts = 0, phase = 'waiting', rows_done = 0,
            rows_total = null, percent = null, expires_at = null, updated_at = now()
      where id = $1`,
    [id, storedJson(options)],
  );
}

/** What a preview has shown of a locked import, which is what a confirmation confirms. */
export async function saveChoice(
  tx: Sql,
  id: string,
  { mapping, options }: { mapping: WireMapping; options: ImportOptions },
): Promise<void> {
  await tx.query('update imports set mapping = $2, options = $3, updated_at = now() where id = $1', [
    id,
    storedJson(mapping),
    storedJson(options),
  ]);
}

export async function startImporting(tx: Sql, id: string): Promise<void> {
  await tx.query(
    `update imports set state = 'importing', attempts = 0, phase = 'waiting', rows_done = 0,
            rows_total = (counts->>'rows')::bigint, percent = 0, expires_at = null, updated_at = now()
      where id = $1`,
    [id],
  );
}

/** Cancels a locked import: at once, or as soon as its worker has seen it. */
export async function cancelLocked(tx: Sql, id: string, state: 'canceled' | 'canceling'): Promise<void> {
  await tx.query(
    `update imports set state = $2, expires_at = null, updated_at = now(),
            finished_at = case when $2 = 'canceled' then now() end
      where id = $1`,
    [id, state],
  );
}

/** JSON that PostgreSQL takes: it stores no NUL and no half of a surrogate pair, which files do hold. */
export function storedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes('\\u')) return text;
  return text.replace(/\\(u0000|ud[89a-f][0-9a-f]{2}|.)/g, (code) => (code.length === 6 ? '\\ufffd' : code));
}
