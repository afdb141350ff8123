import type { Sql } from '#db';

/**
 * Time limit of counting a month out. When it is exceeded, the month is tried again later, and its events are removed
 * one by one meanwhile.
 */
const countMs = 120_000;

/** Nobody changes the events of a month until the transaction ends. */
export async function lockAgainstChanges(tx: Sql, month: string): Promise<void> {
  await tx.query(`lock table ${month} in share mode`);
}

/** Takes all events of a month out of the counts of their datasets. */
export async function countOutEvents(tx: Sql, month: string): Promise<void> {
  await tx.query(
    `insert into retrieval_event_counts (dataset_id, state, events)
     select dataset_id, state, -count(*) from ${month} group by dataset_id, state`,
    [],
    { timeoutMs: countMs },
  );
}
