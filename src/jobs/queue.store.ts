export const schema = 'fanfold_jobs';

/** The queue's own way to its database. */
export type QueueSql = { executeSql: (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }> };

export type Sight = {
  /** The queues in which something waits that may begin now. */
  due: string[];
  /** Whether any process works on anything, or died of it. */
  isActive: boolean;
  /** Whether something waits for its time. */
  isWaiting: boolean;
};

/**
 * Looks into these queues. While nobody works there is nothing to supervise, and it is noted, as the queue itself does, that
 * somebody has looked.
 */
export async function lookIntoQueues(sql: QueueSql, names: readonly string[]): Promise<Sight> {
  const { rows } = await sql.executeSql(
    `with active as materialized (
       select from ${schema}.job where state = 'active' limit 1
     ), looked as (
       update ${schema}.queue set monitor_claim_on = now() where name = any($1::text[]) and not exists (select from active)
     )
     select exists (select from active) as "isActive",
            exists (select from ${schema}.job where name = any($1::text[]) and state < 'active') as "isWaiting",
            array(select name from unnest($1::text[]) as asked (name)
                   where exists (select from ${schema}.job where job.name = asked.name and state < 'active'
                                  and not blocked and start_after <= now())) as due,
            set_config('synchronous_commit', 'off', true)`,
    [names],
  );
  const [row] = rows;
  if (!row) throw new Error('The queues gave no row. This is a bug.');
  // as: the statement's columns.
  return row as Sight;
}
