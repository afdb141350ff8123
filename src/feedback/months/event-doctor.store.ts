import type { Database, Sql } from '#db';

/** What is wrong with the events of a dataset; null: of all of them. */
export type EventFinding = { datasetId: string | null; message: string };

const mostFindings = 1_000;
/** It reads all events. */
const timeoutMs = 30 * 60_000;

/**
 * Proves, in one snapshot and without writing anything, that the counts of retrieval events are what events there are, that what has
 * an external id cannot be reported again, and that every event is in a month, with which it will go.
 */
export function checkEvents(database: Database): Promise<EventFinding[]> {
  return database.transaction(async (tx) => {
    await tx.query('set transaction isolation level repeatable read read only');
    await tx.query('set local enable_seqscan = on');
    const [counts, names, others] = [await listWrongCounts(tx), await listUnnamed(tx), await countOthers(tx)];
    const other = { datasetId: null, message: `${others} are of no month. A server makes it within ten minutes.` };
    return [...counts, ...names, ...(others > 0n ? [other] : [])];
  });
}

function listWrongCounts(sql: Sql): Promise<EventFinding[]> {
  return sql.query(
    `select dataset_id as "datasetId", format('%s are counted as %s, there are %s', sum(counted), state, sum(found)) as message
       from (select dataset_id, state, events as counted, 0 as found from retrieval_event_counts
             union all
             select dataset_id, state, 0, count(*) from retrieval_events group by dataset_id, state) as both_sides
      group by dataset_id, state
     having sum(counted) <> sum(found)
      order by dataset_id, state limit $1`,
    [mostFindings],
    { timeoutMs },
  );
}

function listUnnamed(sql: Sql): Promise<EventFinding[]> {
  return sql.query(
    `select dataset_id as "datasetId", format('%s could be reported twice: their external ids are not claimed', count(*)) as message
       from retrieval_events event
      where external_id is not null and not exists (
        select from retrieval_event_names name
         where name.dataset_id = event.dataset_id and name.external_id = event.external_id and name.event_id = event.id)
      group by dataset_id order by dataset_id limit $1`,
    [mostFindings],
    { timeoutMs },
  );
}

async function countOthers(sql: Sql): Promise<bigint> {
  const [row] = await sql.query<{ count: bigint }>('select count(*) as count from retrieval_events_other', [], {
    timeoutMs,
  });
  return row?.count ?? 0n;
}
