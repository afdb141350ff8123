import type { Sql } from '#db';
import type { EventState, Judgment } from './event.ts';
import type { Address, NewEvent, OpenState } from './new-event.ts';

/** JSON, words, ids and hex hold no line break as it is: joined by one, they are taken apart without any escaping. */
const joined = (texts: readonly string[]) => texts.join('\n');

/**
 * Adds events that are not there yet, of any datasets; gives the ids of those that were added. They are written in the
 * order of their external ids, so that no two statements wait for each other.
 */
export async function insertEvents(sql: Sql, events: readonly NewEvent[]): Promise<string[]> {
  const rows = events.toSorted(byExternalId);
  const added = await sql.query<{ id: string }>(
    `insert into retrieval_events
       (dataset_id, id, external_id, body_digest, state, query, results, judgments, model, details, words)
     select dataset_id, id, external_id, decode(digest, 'hex'), state, query, results, judgments, model,
            nullif(details, ''), words
       from unnest(string_to_array($1, E'\\n'), string_to_array($2, E'\\n'), $3::text[], string_to_array($4, E'\\n'),
                   string_to_array($5, E'\\n'), $6::text[], string_to_array($7, E'\\n'), string_to_array($8, E'\\n'),
                   $9::text[], string_to_array($10, E'\\n'), string_to_array($11, E'\\n'))
         as reported (dataset_id, id, external_id, digest, state, query, results, judgments, model, details, words)
     on conflict (dataset_id, external_id) where external_id is not null do nothing
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

/** What is there under an external id. */
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
    `select e.dataset_id as "datasetId", e.id, e.external_id as "externalId", encode(e.body_digest, 'hex') as digest,
            e.state, e.judgments
       from (select distinct * from unnest($1::text[], $2::text[]) as named (dataset_id, external_id)) asked
       join retrieval_events e on e.dataset_id = asked.dataset_id and e.external_id = asked.external_id
        and e.external_id is not null
      order by e.dataset_id, e.external_id
      ${lock ? 'for no key update of e' : ''}`,
    [names.map(({ datasetId }) => datasetId), names.map(({ externalId }) => externalId)],
    { name: `feedback.${lock ? 'lock' : 'find'}_known_events` },
  );
  // as: what this room wrote.
  return rows.map((row) => ({ ...row, judgments: JSON.parse(row.judgments) as Judgment[] }));
}

export type Judged = Address & { state: OpenState; judgments: readonly Judgment[] };

/** Replaces the judgments of locked events. */
export async function updateJudgments(tx: Sql, events: readonly Judged[]): Promise<void> {
  await tx.query(
    `update retrieval_events e set judgments = judged.judgments, state = judged.state, updated_at = now()
       from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as judged (dataset_id, id, judgments, state)
      where e.dataset_id = judged.dataset_id and e.id = judged.id`,
    [
      events.map(({ datasetId }) => datasetId),
      events.map(({ id }) => id),
      events.map(({ judgments }) => JSON.stringify(judgments)),
      events.map(({ state }) => state),
    ],
  );
}
