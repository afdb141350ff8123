import { searchTerms } from '#datasets';
import type { Sql } from '#db';
import { type CursorCodec, fault, firstIdAt, type ListPage, type PageRequest } from '#kernel';
import type { EventState } from './event.ts';
import { countEvents, type EventFilter, listEventIds, sumEvents } from './events.store.ts';

/** What narrows a list, as a request names it; null: everything. */
export type EventQuery = {
  state: EventState | null;
  q: string | null;
  model: string | null;
  externalId: string | null;
  /** Reported at or after `from` and before `to`. */
  from: Date | null;
  to: Date | null;
};

/** Null: the search text has no word, so it finds nothing. */
export function filterOf(datasetId: string, query: EventQuery): EventFilter | null {
  const { state, q, model, externalId, from, to } = query;
  const words = q === null ? null : wordsOf(q, datasetId);
  if (q !== null && !words) return null;
  return {
    datasetId,
    state,
    model,
    externalId,
    words,
    from: from && firstIdAt('rev', Math.max(0, from.getTime())),
    to: to && firstIdAt('rev', Math.max(0, to.getTime())),
  };
}

function wordsOf(q: string, datasetId: string): string | null {
  const terms = searchTerms(q);
  if (terms.length === 0) return null;
  // Words are letters and digits: nothing in them has a meaning here.
  return [`'${datasetId}'`, ...terms.map(({ word, begins }) => `'${word}'${begins ? ':*' : ''}`)].join(' & ');
}

/** Newest first; one id more than `limit` when another page follows. Throws `invalid_cursor` for a cursor of other filters. */
export async function listEvents(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  { datasetId, query }: { datasetId: string; query: EventQuery },
  { limit, cursor }: PageRequest,
): Promise<ListPage<string>> {
  const { state, q, model, externalId, from, to } = query;
  const filters = [state, q, model, externalId, from?.toISOString(), to?.toISOString()];
  // A filter that is not set must not look like an empty one.
  const scope = ['retrieval_events', datasetId, ...filters.map((value) => (value == null ? '' : `=${value}`))];
  const beyond = cursor === null ? null : positionOf(cursors.decode(scope, cursor));
  const filter = filterOf(datasetId, query);
  if (!filter) return { rows: [], limit, totalCount: 0, cursorOf: (id) => id };
  const [rows, totalCount] = await Promise.all([
    listEventIds(sql, filter, { beyond, limit: limit + 1, order: 'newest' }),
    countMatches(sql, filter),
  ]);
  return { rows, limit, totalCount, cursorOf: (id) => cursors.encode(scope, [id]) };
}

function positionOf([id]: readonly string[]): string {
  if (id === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return id;
}

export function countMatches(sql: Sql, filter: EventFilter): Promise<number> {
  const { words, model, externalId, from, to, datasetId, state } = filter;
  const isPlain = [words, model, externalId, from, to].every((value) => value === null);
  return isPlain ? sumEvents(sql, datasetId, state) : countEvents(sql, filter);
}
