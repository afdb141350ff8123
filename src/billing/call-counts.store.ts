import type { Sql } from '#db';

/** How many calls of one hosted model each of these accounts paid since a time. */
export async function countCallsByAccount(
  sql: Sql,
  question: { projectId: string; alias: string; accountIds: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ accountId: string; calls: number }>(
    `select account_id as "accountId", count(*)::integer as calls from ledger
      where account_id = any($1) and type = 'inference' and project_id = $2 and model_requested = $3
        and created_at >= $4
      group by account_id`,
    [question.accountIds, question.projectId, question.alias, question.since],
  );
  return new Map(rows.map(({ accountId, calls }) => [accountId, calls]));
}
