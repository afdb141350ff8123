import { fault, isFields, type ListPage, type PageRequest } from '#kernel';
import { defaultLimit, maxLimit } from './page-query.ts';

/** A cursor page as answered (interface 2.6). */
export type Page<T> = { data: T[]; next_cursor: string | null; total_count: number };

/**
 * Reads `limit` (1 to 100, 25 by default) and `cursor`, as text or already converted by a schema with `pageQuery`;
 * throws `invalid_request` or `invalid_cursor`.
 */
export function readPage(query: unknown): PageRequest {
  const { limit, cursor } = isFields(query) ? query : {};
  return { limit: readLimit(limit), cursor: readCursor(cursor) };
}

export function pageOf<Row, T>(list: ListPage<Row> & { toWire: (row: Row) => T }): Page<T> {
  const { rows, limit, totalCount, cursorOf, toWire } = list;
  const shown = rows.slice(0, limit);
  const last = shown.at(-1);
  return {
    data: shown.map(toWire),
    next_cursor: rows.length > limit && last ? cursorOf(last) : null,
    total_count: totalCount,
  };
}

function readLimit(given: unknown): number {
  if (given === undefined) return defaultLimit;
  const limit = typeof given === 'string' && /^[0-9]{1,3}$/.test(given) ? Number(given) : given;
  if (typeof limit === 'number' && Number.isInteger(limit) && limit >= 1 && limit <= maxLimit) return limit;
  throw fault('invalid_request', { message: `limit: expected an integer from 1 to ${maxLimit}.`, param: 'limit' });
}

function readCursor(text: unknown): string | null {
  if (text === undefined) return null;
  if (typeof text === 'string') return text;
  throw fault('invalid_cursor', { param: 'cursor' });
}
