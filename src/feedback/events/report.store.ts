import type { Sql } from '#db';
import type { EventState, Judgment } from './event.ts';
import { endsOf } from './events.store.ts';
import type { EventAddress, NewEvent, OpenState } from './new-event.ts';

/** JSON, words, ids and hex hold no line break as it is: joined by one, they are taken apart without any escaping. */
const joined = (texts: readonly string[]) => texts.join('\n');

/**
 * Adds events that are not there yet, of any datasets; gives the ids of those that were added. Each takes its external id
 * first, in the order of these, so that no two statements wait for each other.
 */
export async function insertEvents(sql: Sql, events: readonly NewEvent[]): Promise<string[]> {
  const rows = events.toSorted(byExternalId);
  const added = await sql.query<{ id: string }>(
    `with named as (
       insert into retrieval_event_names (dataset_id, external_id, event_id)
       select dataset_id, external_id, id
         from unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), $3::text[])
           as reported (dataset_id, id, external_id)
        where external_id is not null
           on conflict do nothing
       returning event_id
     )
     insert into retrieval_events
       (dataset_id, id, external_id, body_digest, state, query, results, judgments, model, details, words)
     select dataset_id, id, external_id, decode(digest, 'hex'), state, query, results, judgments, model,
            nullif(details, ''), words
       from unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), $3::text[], string_to_array($4, E'\\n'),
                   string_to_array($5, E'\\n'), $6::text[], string_to_array($7, E'\\n'), string_to_array($8, E'\\n'),
                   $9::text[], string_to_array($10, E'\\n'), string_to_array($11, E'\\n'))
         as reported (dataset_id, id, external_id, digest, state, query, results, judgments, model, details, words)
      where external_id is null or id in (select event_id from named)
     returning id`,
    [
      joined(rows.map(({ datasetId }) => datasetId)),
      joined(rows.map(({ id }) => id)),
      rows.map(({ externalId }) => externalId),
      joined(rows.map(({ digest }) => digest)),
      joined(rows.map(({ state }) => state)),
      rows.map(({ query }) => query),
      joined(rows.map(({ results }) => results)),
      joined(rows.map(({ judgments }) => judgments)),
      rows.map(({ model }) => model),
      joined(rows.map(({ details }) => details)),
      joined(rows.map(({ words }) => words)),
    ],
    { name: 'feedback.insert_events' },
  );
  return added.map(({ id }) => id);
}

type Named = Pick<NewEvent, 'datasetId' | 'externalId'>;

/** Stable: of two events with one external id, the one that was sent first stays first. */
function byExternalId(a: Named, b: Named): number {
  return compare(a.datasetId, b.datasetId) || compare(a.externalId ?? '', b.externalId ?? '');
}

const compare = (a: string, b: string) => (a === b ? 0 : a < b ? -1 : 1);

export type KnownEvent = {
  datasetId: string;
  id: string;
  externalId: string;
  digest: string;
  state: EventState;
  judgments: Judgment[];
};

/** `lock`: until the transaction ends, nobody else changes them. */
export async function findKnownEvents(
  sql: Sql,
  names: readonly Named[],
  { lock }: { lock: boolean },
): Promise<KnownEvent[]> {
  const rows = await sql.query<Omit<KnownEvent, 'judgments'> & { judgments: string }>(
    `with named as materialized (
       select name.*
         from (select distinct * from unnest($1::text[], $2::text[]) as reported (dataset_id, external_id)) requested
         join retrieval_event_names name
           on name.dataset_id = requested.dataset_id and name.external_id = requested.external_id
     )
     select e.dataset_id as "datasetId", e.id, e.external_id as "externalId", encode(e.body_digest, 'hex') as digest,
            e.state, e.judgments
       from named join retrieval_events e on e.dataset_id = named.dataset_id and e.id = named.event_id
      where e.id >= (select min(event_id) from named) and e.id <= (select max(event_id) from named)
      order by e.dataset_id, e.external_id
      ${lock ? 'for no key update of e' : ''}`,
    [names.map(({ datasetId }) => datasetId), names.map(({ externalId }) => externalId)],
    { name: `feedback.${lock ? 'lock' : 'find'}_known_events` },
  );
  // as: what this room wrote.
  return rows.map((row) => ({ ...row, judgments: JSON.parse(row.judgments) as Judgment[] }));
}

/**
 * Frees external ids whose events went with their month. An id and its event are written in one statement, so whoever
 * sees the id also sees its event, if that still exists. Rows are locked in order, so that no two statements wait for
 * each other in a circle.
 */
export async function deleteVacantNames(sql: Sql, names: readonly Named[]): Promise<void> {
  await sql.query(
    `with vacant as (
       select name.dataset_id, name.external_id
         from (select distinct * from unnest($1::text[], $2::text[]) as reported (dataset_id, external_id)) requested
         join retrieval_event_names name
           on name.dataset_id = requested.dataset_id and name.external_id = requested.external_id
        where not exists (
                select from retrieval_events e where e.dataset_id = name.dataset_id and e.id = name.event_id)
        order by name.dataset_id, name.external_id
          for update of name
     )
     delete from retrieval_event_names name using vacant
      where name.dataset_id = vacant.dataset_id and name.external_id = vacant.external_id`,
    [names.map(({ datasetId }) => datasetId), names.map(({ externalId }) => externalId)],
  );
}

export type JudgedEvent = EventAddress & { state: OpenState; judgments: readonly Judgment[] };

export async function updateJudgments(tx: Sql, events: readonly JudgedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await tx.query(
    `update retrieval_events e set judgments = judged.judgments, state = judged.state, updated_at = now()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as judged (dataset_id, id, judgments, state)
      where e.dataset_id = judged.dataset_id and e.id = judged.id and e.id >= $5 and e.id <= $6`,
    [
      events.map(({ datasetId }) => datasetId),
      ids,
      events.map(({ judgments }) => JSON.stringify(judgments)),
      events.map(({ state }) => state),
      ...endsOf(ids),
    ],
    { name: 'feedback.update_judgments' },
  );
}
