import { hash } from 'node:crypto';
import type { Sql } from '#db';
import type { EventState } from './event.ts';

/** An event as it is stored; `results`, `judgments` and `details` are JSON. */
export type EventRow = {
  datasetId: string;
  id: string;
  externalId: string | null;
  state: EventState;
  query: string;
  results: string;
  judgments: string;
  model: string | null;
  details: string | null;
  skippedReason: string | null;
  exampleIds: string[];
  promotedAt: Date | null;
  updatedAt: Date | null;
};

const columns = `dataset_id as "datasetId", id, external_id as "externalId", state, query, results, judgments, model, details,
  skipped_reason as "skippedReason", example_ids as "exampleIds", promoted_at as "promotedAt", updated_at as "updatedAt"`;

/** Those of the ids that there are, by id. */
export function findEvents(sql: Sql, datasetId: string, ids: readonly string[]): Promise<EventRow[]> {
  return sql.query<EventRow>(
    `select ${columns} from reported_events
      where dataset_id = $1 and id = any($2::text[]) and id >= $3 and id <= $4 order by id`,
    [datasetId, ids, ...endsOf(ids)],
    { name: 'feedback.find_events' },
  );
}

/** The same; until the transaction ends, nobody else changes them. */
export function lockEvents(tx: Sql, datasetId: string, ids: readonly string[]): Promise<EventRow[]> {
  return tx.query<EventRow>(
    `select ${columns} from reported_events
      where dataset_id = $1 and id = any($2::text[]) and id >= $3 and id <= $4 order by id
        for no key update`,
    [datasetId, ids, ...endsOf(ids)],
    { name: 'feedback.lock_events' },
  );
}

/**
 * The first and the last of some ids. As bounds they say which months to look into; a list of ids alone would be
 * looked up in every month.
 */
export function endsOf(ids: readonly string[]): [first: string, last: string] {
  const ordered = ids.toSorted();
  return [ordered[0] ?? '', ordered.at(-1) ?? ''];
}

/** What narrows a list; null: everything. `q`: words that must all occur in the query. */
export type EventFilter = {
  datasetId: string;
  state: EventState | null;
  model: string | null;
  externalId: string | null;
  /** First id, and the one after the last. */
  from: string | null;
  to: string | null;
  q: SearchWords | null;
};

/** For the index, and as patterns for reading along. */
export type SearchWords = { tsquery: string; patterns: readonly string[] };

/** Only filters that are set are in the text, so that each keeps its index. */
function filtered(filter: EventFilter, isRead: boolean) {
  const values: unknown[] = [filter.datasetId];
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string) =>
    value !== null && conditions.push(condition(`$${values.push(value)}`));
  add(filter.state, (place) => `state = ${place}`);
  add(filter.model, (place) => `model = ${place}`);
  add(
    filter.externalId,
    (place) => `id = (select event_id from retrieval_event_names where dataset_id = $1 and external_id = ${place})`,
  );
  add(filter.from, (place) => `id >= ${place}`);
  add(filter.to, (place) => `id < ${place}`);
  if (filter.q && isRead) add(filter.q.patterns, (place) => `words like all(${place}::text[])`);
  else if (filter.q) add(filter.q.tsquery, (place) => `retrieval_event_words(dataset_id, words) @@ ${place}::tsquery`);
  // The dataset is one of the words of the index. Written in this form the condition is only checked, so that no plan
  // reads the whole dataset instead.
  const ofDataset = filter.q && !isRead ? 'dataset_id is not distinct from $1' : 'dataset_id = $1';
  return { values, from: `from reported_events where ${[ofDataset, ...conditions].join(' and ')}` };
}

/** Where in a list: ids after, or before, this one; null: from the beginning. */
export type EventPage = { beyond: string | null; limit: number; order: 'newest' | 'oldest' };

/** Ids of the events of a filter. `read`: finds words by reading along instead of by the index. */
export async function listEventIds(
  sql: Sql,
  filter: EventFilter,
  { beyond, limit, order, read = false }: EventPage & { read?: boolean },
): Promise<string[]> {
  const { values, from } = filtered(filter, read);
  const place = beyond === null ? '' : `and id ${order === 'newest' ? '<' : '>'} $${values.push(beyond)}`;
  const text = `select id ${from} ${place} order by id ${order === 'newest' ? 'desc' : 'asc'} limit $${values.push(limit)}`;
  const rows = await sql.query<{ id: string }>(text, values, { name: nameOf(text) });
  return rows.map(({ id }) => id);
}

/** Prepared, few as they are: with many months, planning one is dearer than running it. */
const nameOf = (text: string) => `feedback.events_${hash('sha256', text, 'hex').slice(0, 32)}`;

export async function countEvents(sql: Sql, filter: EventFilter): Promise<number> {
  const { values, from } = filtered(filter, false);
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
