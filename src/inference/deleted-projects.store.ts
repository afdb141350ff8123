import type { Sql } from '#db';

export async function deleteSavedCallsIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from saved_calls where request_id in (
       select request_id from saved_calls where project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

/** Which saved calls became examples of the datasets of a project. */
export async function deleteSavedCallExamplesIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from saved_call_examples where (dataset_id, request_id) in (
       select e.dataset_id, e.request_id from datasets d join saved_call_examples e on e.dataset_id = d.id
        where d.project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

/** Of all accounts that have called in the project. */
export async function deleteResponsesIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from stored_responses where (project_id, account_id, id) in (
       select project_id, account_id, id from stored_responses where project_id = $1 limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

/** Of one account, in whatever project it called. */
export async function deleteResponsesOf(sql: Sql, accountId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from stored_responses where (project_id, account_id, id) in (
       select project_id, account_id, id from stored_responses where account_id = $1 limit $2) returning 1`,
    [accountId, limit],
  );
  return rows.length;
}
