import { searchTerms } from '#datasets';
import type { Sql } from '#db';
import { type CursorCodec, fault, firstIdAt, type ListPage, type PageRequest } from '#kernel';
import type { EventState } from './event.ts';
import { countEvents, type EventFilter, listEventIds, type SearchWords, sumEvents } from './events.store.ts';

/** What narrows a list, as it was asked for; null: everything. */
export type EventQuestion = {
  state: EventState | null;
  q: string | null;
  model: string | null;
  externalId: string | null;
  /** Reported at or after `from` and before `to`. */
  from: Date | null;
  to: Date | null;
};

/** Null: the search text has no word, so it finds nothing. */
export function filterOf(datasetId: string, question: EventQuestion): EventFilter | null {
  const { state, q, model, externalId, from, to } = question;
  const words = q === null ? null : wordsOf(q, datasetId);
  if (q !== null && !words) return null;
  return {
    datasetId,
    state,
    model,
    externalId,
    q: words,
    from: from && firstIdAt('rev', Math.max(0, from.getTime())),
    to: to && firstIdAt('rev', Math.max(0, to.getTime())),
  };
}

function wordsOf(q: string, datasetId: string): SearchWords | null {
  const terms = searchTerms(q);
  if (terms.length === 0) return null;
  return {
    // Words are letters and digits: nothing in them has a meaning here.
    tsquery: [`'${datasetId}'`, ...terms.map(({ word, begins }) => `'${word}'${begins ? ':*' : ''}`)].join(' & '),
    patterns: terms.map(({ word, begins }) => `% ${word}${begins ? '' : ' '}%`),
  };
}

/** Newest first; one id more than `limit` when another page follows. Throws `invalid_cursor` for a cursor of other filters. */
export async function listEvents(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  { datasetId, question }: { datasetId: string; question: EventQuestion },
  { limit, cursor }: PageRequest,
): Promise<ListPage<string>> {
  const { state, q, model, externalId, from, to } = question;
  const filters = [state, q, model, externalId, from?.toISOString(), to?.toISOString()];
  // A filter that is not set must not look like an empty one.
  const scope = ['retrieval_events', datasetId, ...filters.map((value) => (value == null ? '' : `=${value}`))];
  const beyond = cursor === null ? null : positionOf(cursors.decode(scope, cursor));
  const filter = filterOf(datasetId, question);
  const { ids, totalCount } = filter
    ? await findPage(sql, filter, { beyond, limit: limit + 1 })
    : { ids: [], totalCount: 0 };
  return { rows: ids, limit, totalCount, cursorOf: (id) => cursors.encode(scope, [id]) };
}

function positionOf([id]: readonly string[]): string {
  if (id === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return id;
}

/**
 * Where one event in so many matches, reading them from the newest on finds a page sooner than the index of words, which
 * gives its matches in no order.
 */
const frequent = { share: 0.02, matches: 5_000 };

async function findPage(
  sql: Sql,
  filter: EventFilter,
  page: { beyond: string | null; limit: number },
): Promise<{ ids: string[]; totalCount: number }> {
  const totalCount = await countMatches(sql, filter);
  if (totalCount === 0) return { ids: [], totalCount };
  const read =
    filter.q !== null &&
    totalCount >= frequent.matches &&
    totalCount > frequent.share * (await sumEvents(sql, filter.datasetId, null));
  return { ids: await listEventIds(sql, filter, { ...page, order: 'newest', read }), totalCount };
}

export function countMatches(sql: Sql, filter: EventFilter): Promise<number> {
  const { q, model, externalId, from, to, datasetId, state } = filter;
  const isPlain = [q, model, externalId, from, to].every((value) => value === null);
  return isPlain ? sumEvents(sql, datasetId, state) : countEvents(sql, filter);
}
