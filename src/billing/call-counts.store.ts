import type { Sql } from '#db';

/** How many calls of one hosted model each of these accounts paid since a time. */
export async function countCallsByAccount(
  sql: Sql,
  question: { projectId: string; alias: string; accountIds: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ accountId: string; calls: number }>(
    `select asked.id as "accountId", calls.rows::integer as calls
       from unnest($1::text[]) as asked (id)
      cross join lateral usage_between(asked.id, null, $2, $3, $4, null) calls`,
    [question.accountIds, question.projectId, question.alias, question.since],
  );
  return new Map(rows.map(({ accountId, calls }) => [accountId, calls]));
}
