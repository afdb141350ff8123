import type { CursorCodec } from './cursor.ts';
import { fault } from './faults.ts';

/** What a list is asked for: `limit` rows after `cursor`; null: from the first row on. */
export type PageRequest = { limit: number; cursor: string | null };

/** Rows of a part of a list, and how many there are in all of it. */
export type CountedRows<Row> = { rows: readonly Row[]; totalCount: number };

/** What a list answers: one row more than `limit` when another page follows. */
export type ListPage<Row> = CountedRows<Row> & {
  limit: number;
  /** The cursor that goes on after a row. */
  cursorOf: (row: Row) => string;
};

/** Place of a row in a list, newest first; the time is text because a `Date` would drop the microseconds. */
export type ListPosition = { createdAt: string; id: string };

/** Before the first row. A condition without a case for it is one that the index answers. */
const listStart: ListPosition = { createdAt: 'infinity', id: '' };

/** What the cursor of such a list says. Throws `invalid_cursor`. */
function readListPosition([createdAt, id]: readonly string[]): ListPosition {
  if (createdAt === undefined || id === undefined) throw fault('invalid_cursor', { param: 'cursor' });
  return { createdAt, id };
}

/** A row of such a list, with its exact time. */
export type Listed<Row> = Row & { id: string; position: string };

/** The cursors of one list, which `scope` names with all that narrows it. */
export function createListCursor(cursors: CursorCodec, scope: readonly string[]) {
  return {
    /** Where a page begins. Throws `invalid_cursor`. */
    after: (cursor: string | null) => (cursor === null ? listStart : readListPosition(cursors.decode(scope, cursor))),
    cursorOf: ({ position, id }: { position: string; id: string }) => cursors.encode(scope, [position, id]),
  };
}

/**
 * A page of such a list: `list` gives rows after a position, `count` all of them. `scope` names the list with all that
 * narrows it. Throws `invalid_cursor` for a cursor of another list.
 */
export async function readListPage<Row extends { position: string; id: string }>(
  { cursors, scope }: { cursors: CursorCodec; scope: readonly string[] },
  { limit, cursor }: PageRequest,
  {
    list,
    count,
  }: {
    list: (page: { after: ListPosition; limit: number }) => Promise<readonly Row[]>;
    count: () => Promise<number>;
  },
): Promise<ListPage<Row>> {
  const { after, cursorOf } = createListCursor(cursors, scope);
  const [rows, totalCount] = await Promise.all([list({ after: after(cursor), limit: limit + 1 }), count()]);
  return { rows, totalCount, limit, cursorOf };
}
