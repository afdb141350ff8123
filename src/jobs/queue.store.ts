import type { Sql } from '#db';

export const schema = 'fanfold_jobs';

/**
 * The turn of new work in a queue. Each account's work is numbered one after the other, beginning after the turn that
 * has come: so who comes late waits for one turn of each of the others, and who was away has nothing to make up for.
 * Nothing is locked: two that ask at once may get the same turn, which puts one of them a place further ahead.
 * (Start-time fair queueing: Goyal, Vin, Cheng, 1996.)
 */
export async function nextTurn(sql: Sql, { queue, accountId }: { queue: string; accountId: string }): Promise<number> {
  const [row] = await sql.query<{ turn: number }>(
    `select 1 + greatest(
       (select max(-priority) from ${schema}.job where name = $1 and state <= 'active' and group_id = $2),
       coalesce((select max(-priority) from ${schema}.job where name = $1 and state = 'active'),
                (select min(-priority) - 1 from ${schema}.job where name = $1 and state < 'active'), 0)) as turn`,
    [queue, accountId],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return row.turn;
}
