import type { Sql } from '#db';

export const schema = 'fanfold_jobs';

/**
 * The round in which new work of an account starts. Each account has one piece of work in a round, and its work is in
 * consecutive rounds after the current one. So new work waits for at most one piece of each other account per round, and an
 * account that was idle gets no advantage. Nothing is locked: two concurrent calls may get the same round, which starts one of
 * them earlier.
 * (Start-time fair queueing: Goyal, Vin, Cheng, 1996.)
 */
export async function nextQueueRound(
  sql: Sql,
  { queue, accountId }: { queue: string; accountId: string },
): Promise<number> {
  const [row] = await sql.query<{ round: number }>(
    `select 1 + greatest(
       (select max(-priority) from ${schema}.job where name = $1 and state <= 'active' and group_id = $2),
       coalesce((select max(-priority) from ${schema}.job where name = $1 and state = 'active'),
                (select min(-priority) - 1 from ${schema}.job where name = $1 and state < 'active'), 0)) as round`,
    [queue, accountId],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return row.round;
}

/** Background work of one kind. */
export type QueueCounts = { name: string; waiting: number; active: number; failed: number };

/** Work that is done is removed after a day, that which failed too. */
export function countQueued(sql: Sql): Promise<QueueCounts[]> {
  return sql.query<QueueCounts>(
    `select q.name, count(*) filter (where j.state in ('created', 'retry'))::integer as waiting,
            count(*) filter (where j.state = 'active')::integer as active,
            count(*) filter (where j.state = 'failed')::integer as failed
       from ${schema}.queue q left join ${schema}.job j on j.name = q.name
      where q.name not like '\\_\\_%' group by q.name order by q.name`,
  );
}
