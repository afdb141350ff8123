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

/** PartitionMaintenance of events that are of no list any more, by the names of their tables. */
export async function listGoneMonths(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ name: string }>(
    `select relname as name from pg_class
      where relname ~ '^reported_events_gone_\\d{4}_\\d{2}$' and relkind = 'r'
        and relnamespace = current_schema::regnamespace
      order by relname`,
  );
  return rows.map(({ name }) => name);
}

export type Place = { datasetId: string; id: string };

/**
 * Forgets the external ids of the next events of a removed month; gives the last of these events, null when there is
 * none. An id that another transaction has locked is skipped: that transaction frees it.
 */
export async function forgetNames(
  sql: Sql,
  { month, after, limit }: { month: string; after: Place; limit: number },
): Promise<Place | null> {
  const [last] = await sql.query<Place>(
    `with part as materialized (
       select dataset_id, id, external_id from ${month}
        where (dataset_id, id) > ($1, $2) order by dataset_id, id limit $3
     ), due as materialized (
       select name.dataset_id, name.external_id
         from part join retrieval_event_names name
           on name.dataset_id = part.dataset_id and name.external_id = part.external_id and name.event_id = part.id
          for update of name skip locked
     ), forgotten as (
       delete from retrieval_event_names name using due
        where name.dataset_id = due.dataset_id and name.external_id = due.external_id
     )
     select dataset_id as "datasetId", id from part order by dataset_id desc, id desc limit 1`,
    [after.datasetId, after.id, limit],
  );
  return last ?? null;
}

/** Whatever a release before this one saw of it goes with it (migrations/0032_events_by_month.sql). */
export async function dropGoneMonth(tx: Sql, month: string): Promise<void> {
  await tx.query(
    `do $$ begin
       if exists (select from pg_depend join pg_rewrite on pg_rewrite.oid = objid
                   where refobjid = '${month}'::regclass and ev_class = to_regclass('retrieval_events')) then
         drop view retrieval_events;
       end if;
       drop table ${month};
     end $$`,
  );
}
