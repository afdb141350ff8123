import type { Sql } from '#db';

/** What may take long: a row of these tables has many words, or a long text. */
const slow = { timeoutMs: 60_000 };

/** Imports that have not ended take nothing more in. */
export async function endImportsIn(sql: Sql, projectId: string): Promise<void> {
  await sql.query(
    `update imports set state = 'canceled', phase = null, expires_at = null, finished_at = now(), updated_at = now()
      where project_id = $1 and state in ('awaiting_upload', 'ready')`,
    [projectId],
  );
}

export type ImportFiles = { id: string; keys: string[]; isBusy: boolean };

/** @returns isBusy: a part may be on its way to the object store still. */
export function listImportsIn(sql: Sql, projectId: string, afterId: string, limit: number): Promise<ImportFiles[]> {
  return sql.query<ImportFiles>(
    `select i.id, array(select key from import_parts where import_id = i.id) as keys,
            exists (select from import_parts where import_id = i.id and bytes is null and key like '%/part-%'
                       and created_at > now() - interval '1 hour') and i.files_removed_at is null as "isBusy"
       from imports i where i.project_id = $1 and i.id > $2 order by i.id limit $3`,
    [projectId, afterId, limit],
  );
}

export async function deleteIssuesOf(sql: Sql, importId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from import_issues where (import_id, position) in (
       select import_id, position from import_issues where import_id = $1 limit $2) returning 1`,
    [importId, limit],
  );
  return rows.length;
}

export async function deleteImport(sql: Sql, importId: string): Promise<void> {
  await sql.query('delete from imports where id = $1', [importId]);
}

export async function listDatasetIdsIn(sql: Sql, projectId: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>('select id from datasets where project_id = $1 order by id limit $2', [
    projectId,
    limit,
  ]);
  return rows.map(({ id }) => id);
}

export async function deleteUnindexedOf(sql: Sql, datasetId: string): Promise<void> {
  await sql.query('delete from unindexed_examples where dataset_id = $1', [datasetId], slow);
}

export async function deleteWordsOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from example_words where (dataset_id, id, added_seq) in (
       select dataset_id, id, added_seq from example_words where dataset_id = $1 limit $2) returning 1`,
    [datasetId, limit],
    slow,
  );
  return rows.length;
}

export async function deleteExamplesOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from examples where (dataset_id, id, added_seq) in (
       select dataset_id, id, added_seq from examples where dataset_id = $1 limit $2) returning 1`,
    [datasetId, limit],
    slow,
  );
  return rows.length;
}

export async function deleteContentsOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from example_contents where (dataset_id, hash) in (
       select dataset_id, hash from example_contents where dataset_id = $1 limit $2) returning 1`,
    [datasetId, limit],
    slow,
  );
  return rows.length;
}

/** The newest first: each refers to the one before it. */
export async function deleteVersionsOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from dataset_versions where id in (
       select id from dataset_versions where dataset_id = $1 order by number desc limit $2) returning 1`,
    [datasetId, limit],
    slow,
  );
  return rows.length;
}

export async function deleteCountsOf(sql: Sql, datasetId: string): Promise<void> {
  await sql.query('delete from example_counts where dataset_id = $1', [datasetId]);
}

export async function deleteDataset(sql: Sql, datasetId: string): Promise<void> {
  await sql.query('delete from datasets where id = $1', [datasetId]);
}
