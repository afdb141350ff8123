import type { Sql } from '#db';

export const schema = 'fanfold_jobs';

export type QueueStatus = {
  /** The queues in which something waits that may begin now. */
  due: string[];
  /** Whether any process works on anything, or died of it. */
  isActive: boolean;
};

export async function inspectQueues(sql: Sql, names: readonly string[]): Promise<QueueStatus> {
  const [row] = await sql.query<QueueStatus>(
    `select exists (select from ${schema}.job where state = 'active') as "isActive",
            array(select name from unnest($1::text[]) as queue (name)
                   where exists (select from ${schema}.job where job.name = queue.name and state < 'active'
                                  and not blocked and start_after <= now())) as due`,
    [names],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return row;
}

/** Notes, as the queue itself does, that somebody has looked into these queues. */
export async function noteLook(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.query(`update ${schema}.queue set monitor_claim_on = now() where name = any($1::text[])`, [names]);
}

/**
 * The turn of new work in a queue. Each one's work is numbered one after the other, beginning after the turn that has
 * come: so who comes late waits for one turn of each of the others, and who was away has nothing to make up for.
 * Nothing is locked: two that ask at once may get the same turn, which puts one of them a place further ahead.
 * (Start-time fair queueing: Goyal, Vin, Cheng, 1996.)
 */
export async function nextTurn(sql: Sql, { queue, turnOf }: { queue: string; turnOf: string }): Promise<number> {
  const [row] = await sql.query<{ turn: number }>(
    `select 1 + greatest(
       (select max(-priority) from ${schema}.job where name = $1 and state <= 'active' and group_id = $2),
       coalesce((select max(-priority) from ${schema}.job where name = $1 and state = 'active'),
                (select min(-priority) - 1 from ${schema}.job where name = $1 and state < 'active'), 0)) as turn`,
    [queue, turnOf],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return row.turn;
}
