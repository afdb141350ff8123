import type { Question, Sql } from '#db';

export const schema = 'fanfold_jobs';

export type Sight = {
  /** The queues in which something waits that may begin now. */
  due: string[];
  /** Whether any process works on anything, or died of it. */
  isActive: boolean;
};

/** A look into these queues. */
export const lookIntoQueues =
  (names: readonly string[]): Question =>
  (place) =>
    `select jsonb_build_object(
       'isActive', exists (select from ${schema}.job where state = 'active'),
       'due', array(select name from unnest(${place(names)}::text[]) as asked (name)
                     where exists (select from ${schema}.job where job.name = asked.name and state < 'active'
                                    and not blocked and start_after <= now())))`;

/** Notes, as the queue itself does, that somebody has looked into these queues. */
export async function noteLook(sql: Sql, names: readonly string[]): Promise<void> {
  await sql.query(`update ${schema}.queue set monitor_claim_on = now() where name = any($1::text[])`, [names]);
}
