import type { Sql } from '#db';

/**
 * How many calls of one hosted model each of these accounts paid since a time, which counts from the start of its day
 * (UTC): from the sums, and from the few rows that are not summed up yet.
 */
export async function countCallsByAccount(
  sql: Sql,
  question: { projectId: string; alias: string; accountIds: readonly string[]; since: Date },
): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ accountId: string; calls: number }>(
    `select asked.id as "accountId", (summed.calls + recent.calls)::integer as calls
       from unnest($1::text[]) as asked (id)
       left join usage_marks mark on mark.account_id = asked.id
       cross join lateral (
         select coalesce(sum(rows), 0) as calls from usage_sums
          where account_id = asked.id and project_id = $2 and project_id <> '' and grain = 'day'
            and bucket >= date_trunc('day', $4::timestamptz, 'UTC')
            and node = 4 and model = $3 and type = 'inference') summed
       cross join lateral (
         select count(*) as calls from ledger
          where account_id = asked.id and seq > coalesce(mark.seq, 0) and type = 'inference'
            and project_id = $2 and coalesce(model_requested, model_served) = $3
            and created_at >= date_trunc('day', $4::timestamptz, 'UTC')) recent`,
    [question.accountIds, question.projectId, question.alias, question.since],
  );
  return new Map(rows.map(({ accountId, calls }) => [accountId, calls]));
}
