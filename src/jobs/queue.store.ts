export const schema = 'fanfold_jobs';

/** The queue's own way to its database. */
export type QueueSql = { executeSql: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }> };

/** Those of these queues in which something waits that may begin now. */
export async function listDueQueues(sql: QueueSql, names: readonly string[]): Promise<string[]> {
  const { rows } = await sql.executeSql(
    `select name from unnest($1::text[]) as asked (name)
      where exists (select from ${schema}.job
                     where job.name = asked.name and state < 'active' and not blocked and start_after <= now())`,
    [names],
  );
  // as: the statement's only column.
  return (rows as { name: string }[]).map(({ name }) => name);
}

/**
 * Whether any process works on anything, or died of it. While none does there is nothing to supervise, and it is noted, as
 * the queue itself does, that somebody has looked.
 */
export async function checkForWork(sql: QueueSql, names: readonly string[]): Promise<boolean> {
  const { rows } = await sql.executeSql(
    `with active as materialized (
       select from ${schema}.job where state = 'active' limit 1
     ), looked as (
       update ${schema}.queue set monitor_claim_on = now() where name = any($1::text[]) and not exists (select from active)
     )
     select exists (select from active) as found, set_config('synchronous_commit', 'off', true)`,
    [names],
  );
  // as: the statement's columns, in its one row.
  return (rows as { found: boolean }[])[0]?.found ?? false;
}
