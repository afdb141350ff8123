import type { Sql } from '#db';

/** How many calls of one hosted model each of these accounts paid since a time. */
export async function countCallsByAccount(
  sql: Sql,
  request: { projectId: string; alias: string; accountIds: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ accountId: string; calls: number }>(
    `select requested.id as "accountId", calls.rows::integer as calls
       from unnest($1::text[]) as requested (id)
      cross join lateral usage_between(requested.id, null, $2, $3, $4, null) calls`,
    [request.accountIds, request.projectId, request.alias, request.since],
  );
  return new Map(rows.map(({ accountId, calls }) => [accountId, calls]));
}
