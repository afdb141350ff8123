import type { Sql } from '#db';

/** Datasets of a project that have, or had, events. */
export async function listDatasetsIn(sql: Sql, projectId: string, limit: number, afterId: string): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'select id from datasets where project_id = $1 and id > $2 order by id limit $3',
    [projectId, afterId, limit],
  );
  return rows.map(({ id }) => id);
}

export async function deleteNamesOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from retrieval_event_names where (dataset_id, external_id) in (
       select dataset_id, external_id from retrieval_event_names where dataset_id = $1 limit $2) returning 1`,
    [datasetId, limit],
  );
  return rows.length;
}

export async function deletePairsOf(sql: Sql, datasetId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from promoted_pairs where (dataset_id, pair, example_id) in (
       select dataset_id, pair, example_id from promoted_pairs where dataset_id = $1 limit $2) returning 1`,
    [datasetId, limit],
  );
  return rows.length;
}

/** Of events that are gone by now. */
export async function deleteCountsOf(sql: Sql, datasetId: string): Promise<void> {
  await sql.query('delete from retrieval_event_counts where dataset_id = $1', [datasetId]);
}

export async function deleteNoticesOf(sql: Sql, datasetId: string): Promise<void> {
  await sql.query('delete from promotion_notices where dataset_id = $1', [datasetId]);
}
