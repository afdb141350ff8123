import { hash } from 'node:crypto';
import type { Sql } from '#db';
import { timeOfId } from '#kernel';
import type { EventDetails, EventResult, EventState, Judgment } from './event.ts';

export type StoredEvent = {
  datasetId: string;
  id: string;
  externalId: string | null;
  state: EventState;
  query: string;
  results: EventResult[];
  judgments: Judgment[];
  model: string | null;
  details: EventDetails;
  skippedReason: string | null;
  exampleIds: string[];
  promotedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

type EventRow = Omit<StoredEvent, 'results' | 'judgments' | 'details' | 'createdAt' | 'updatedAt'> & {
  results: string;
  judgments: string;
  details: string | null;
  updatedAt: Date | null;
};

const noDetails: EventDetails = { index_id: null, request_id: null, user_ref: null, occurred_at: null, metadata: {} };

const columns = `dataset_id as "datasetId", id, external_id as "externalId", state, query, results, judgments, model, details,
  skipped_reason as "skippedReason", example_ids as "exampleIds", promoted_at as "promotedAt", updated_at as "updatedAt"`;

/** Those of the ids that there are, by id. `lock`: until the transaction ends, nobody else changes them. */
export async function findEvents(
  sql: Sql,
  datasetId: string,
  ids: readonly string[],
  { lock = false } = {},
): Promise<StoredEvent[]> {
  const rows = await sql.query<EventRow>(
    `select ${columns} from retrieval_events
      where dataset_id = $1 and id = any($2::text[]) and id >= $3 and id <= $4 order by id
      ${lock ? 'for no key update' : ''}`,
    [datasetId, ids, ...endsOf(ids)],
    { name: `feedback.${lock ? 'lock' : 'find'}_events` },
  );
  return rows.map(({ results, judgments, details, updatedAt, ...row }) => {
    const createdAt = new Date(timeOfId('rev', row.id) ?? 0);
    return {
      ...row,
      // as, three times: written by this room, in these shapes.
      results: JSON.parse(results) as EventResult[],
      judgments: JSON.parse(judgments) as Judgment[],
      details: details === null ? noDetails : (JSON.parse(details) as EventDetails),
      createdAt,
      updatedAt: updatedAt ?? createdAt,
    };
  });
}

/**
 * The first and the last of some ids. As bounds they say which months to look into; a list of ids alone would be
 * looked up in every month.
 */
export function endsOf(ids: readonly string[]): [first: string, last: string] {
  const ordered = ids.toSorted();
  return [ordered[0] ?? '', ordered.at(-1) ?? ''];
}

/** What narrows a list; null: everything. */
export type EventFilter = {
  datasetId: string;
  state: EventState | null;
  model: string | null;
  externalId: string | null;
  /** First id, and the one after the last. */
  from: string | null;
  to: string | null;
  /** The `tsquery` of words that must all occur in the query. */
  words: string | null;
};

/** Only filters that are set are in the text, so that each keeps its index. */
function filtered(filter: EventFilter) {
  const values: unknown[] = [filter.datasetId];
  // The dataset is one of the words of the index. Written in this form the condition is only checked, so that no plan
  // reads the whole dataset instead.
  const conditions = [filter.words === null ? 'dataset_id = $1' : 'dataset_id is not distinct from $1'];
  const add = (value: unknown, condition: (parameter: string) => string) =>
    value !== null && conditions.push(condition(`$${values.push(value)}`));
  add(filter.state, (parameter) => `state = ${parameter}`);
  add(filter.model, (parameter) => `model = ${parameter}`);
  add(
    filter.externalId,
    (parameter) =>
      `id = (select event_id from retrieval_event_names where dataset_id = $1 and external_id = ${parameter})`,
  );
  add(filter.from, (parameter) => `id >= ${parameter}`);
  add(filter.to, (parameter) => `id < ${parameter}`);
  add(filter.words, (parameter) => `retrieval_event_words(dataset_id, words) @@ ${parameter}::tsquery`);
  return { values, from: `from retrieval_events where ${conditions.join(' and ')}` };
}

/** Where in a list: ids after, or before, this one; null: from the beginning. */
export type EventPage = { beyond: string | null; limit: number; order: 'newest' | 'oldest' };

export async function listEventIds(
  sql: Sql,
  filter: EventFilter,
  { beyond, limit, order }: EventPage,
): Promise<string[]> {
  const { values, from } = filtered(filter);
  const start = beyond === null ? '' : `and id ${order === 'newest' ? '<' : '>'} $${values.push(beyond)}`;
  const text = `select id ${from} ${start} order by id ${order === 'newest' ? 'desc' : 'asc'} limit $${values.push(limit)}`;
  const rows = await sql.query<{ id: string }>(text, values, { name: nameOf(text) });
  return rows.map(({ id }) => id);
}

/** Prepared, few as they are: with many months, planning one is dearer than running it. */
const nameOf = (text: string) => `feedback.events_${hash('sha256', text, 'hex').slice(0, 32)}`;

export async function countEvents(sql: Sql, filter: EventFilter): Promise<number> {
  const { values, from } = filtered(filter);
  const text = `select count(*)::integer as total ${from}`;
  const [row] = await sql.query<{ total: number }>(text, values, { name: nameOf(text) });
  return row?.total ?? 0;
}

/** The same for all events of a dataset, or those in one state, without looking at them. */
export async function sumEvents(sql: Sql, datasetId: string, state: EventState | null): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select coalesce(sum(events), 0)::integer as total from retrieval_event_counts
      where dataset_id = $1 and ($2::text is null or state = $2)`,
    [datasetId, state],
    { name: 'feedback.sum_events' },
  );
  return row?.total ?? 0;
}

export async function updateState(
  tx: Sql,
  {
    datasetId,
    id,
    state,
    skippedReason,
  }: { datasetId: string; id: string; state: EventState; skippedReason: string | null },
): Promise<void> {
  await tx.query(
    `update retrieval_events set state = $3, skipped_reason = $4, updated_at = now() where dataset_id = $1 and id = $2`,
    [datasetId, id, state, skippedReason],
    { name: 'feedback.update_state' },
  );
}

export type PromotedEvent = { id: string; exampleId: string };

export async function updatePromoted(tx: Sql, datasetId: string, events: readonly PromotedEvent[]): Promise<void> {
  const ids = events.map(({ id }) => id);
  await tx.query(
    `update retrieval_events e
        set state = 'promoted', promoted_at = now(), updated_at = now(), example_ids = array[promoted.example_id]
       from unnest($2::text[], $3::text[]) as promoted (id, example_id)
      where e.dataset_id = $1 and e.id = promoted.id and e.id >= $4 and e.id <= $5`,
    [datasetId, ids, events.map(({ exampleId }) => exampleId), ...endsOf(ids)],
    { name: 'feedback.update_promoted' },
  );
}
