import type { Sql } from '#db';

/** Deletes answers that an account's calls in a project have stored under an `Idempotency-Key`; says how many. */
export async function deleteAnswersIn(
  sql: Sql,
  { projectId, accountId, limit }: { projectId: string; accountId: string; limit: number },
): Promise<number> {
  const rows = await sql.query(
    `delete from calls where request_id in (
       select request_id from calls
        where account_id = $2 and idempotency_key is not null and project_id = $1 and status is not null limit $3
          for update skip locked) returning 1`,
    [projectId, accountId, limit],
  );
  return rows.length;
}
