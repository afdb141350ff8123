import type { Sql } from '#db';

/** Datasets that have, or had, events; those after `afterId`, in order. */
export async function listDatasetsWithEvents(sql: Sql, afterId: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `select d.id from datasets d
      where d.id > $1 and exists (select from retrieval_event_counts c where c.dataset_id = d.id)
      order by d.id limit $2`,
    [afterId, limit],
  );
  return rows.map(({ id }) => id);
}

/** Removes at most `limit` events of a dataset that were reported before `endId`; those in use are left for later. */
export async function deleteEventsBefore(
  sql: Sql,
  { datasetId, endId, limit }: { datasetId: string; endId: string; limit: number },
): Promise<number> {
  const rows = await sql.query(
    `with due as (
       select dataset_id, id from retrieval_events
        where dataset_id = $1 and id < $2 order by id limit $3 for update skip locked
     )
     delete from retrieval_events e using due
      where e.dataset_id = due.dataset_id and e.id = due.id and e.id < $2 returning e.id`,
    [datasetId, endId, limit],
    { name: 'feedback.delete_events_before' },
  );
  return rows.length;
}

/**
 * Adds up the changes of a dataset's counts, if there are many. Processes that do so at the same time take different
 * rows.
 */
export async function compactCounts(sql: Sql, datasetId: string, fewest: number): Promise<void> {
  await sql.query(
    `with gone as (
       delete from retrieval_event_counts
        where dataset_id = $1 and (select count(*) from retrieval_event_counts where dataset_id = $1) >= $2
       returning state, events
     )
     insert into retrieval_event_counts (dataset_id, state, events)
     select $1, state, sum(events) from gone group by state having sum(events) <> 0`,
    [datasetId, fewest],
    { name: 'feedback.compact_counts' },
  );
}

/** Frees at most `limit` external ids of events from before `endId` that are gone. */
export async function deleteOldNames(sql: Sql, endId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `with due as (
       select dataset_id, external_id from retrieval_event_names name
        where event_id < $1 and not exists (
          select from retrieval_events e where e.dataset_id = name.dataset_id and e.id = name.event_id)
        limit $2 for update skip locked
     )
     delete from retrieval_event_names name using due
      where name.dataset_id = due.dataset_id and name.external_id = due.external_id returning 1`,
    [endId, limit],
    { name: 'feedback.delete_old_names' },
  );
  return rows.length;
}
