import type { Sql } from '#db';

export async function deleteSharesIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from model_shares where id in (
       select s.id from hosted_models h join model_shares s on s.hosted_model_id = h.id
        where h.project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

export async function deleteRevisionsIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from hosted_model_revisions where (hosted_model_id, revision) in (
       select r.hosted_model_id, r.revision
         from hosted_models h join hosted_model_revisions r on r.hosted_model_id = h.id
        where h.project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

/** A load check that runs still finds its model gone. */
export async function deleteHostedModelsIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from hosted_models where id in (
       select id from hosted_models where project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}
