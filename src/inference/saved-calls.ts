import type { Sql } from '#db';
import { type CursorCodec, createListCursor, fault, type ListPage, type PageRequest } from '#kernel';
import {
  deleteSavedCall as deleteRow,
  deleteSavedCallRows,
  findSavedCall,
  listSavedCallRows,
  type SavedCallAddress,
  type SavedCallDetail,
  type SavedCallFilter,
  type SavedCallRow,
} from './saved-calls.store.ts';

/** One row more than `limit` when another page follows. Throws `invalid_cursor` for a cursor of other filters. */
export async function listSavedCalls(
  deps: { sql: Sql; cursors: CursorCodec },
  filter: SavedCallFilter,
  { limit, cursor }: PageRequest,
): Promise<ListPage<SavedCallRow & { position: string }>> {
  const { projectId, model, finishReason, from, to, search } = filter;
  const scope = [
    'saved_calls',
    projectId,
    ...[model, finishReason, from?.toISOString(), to?.toISOString(), search].map((value) => value ?? ''),
  ];
  const { after, cursorOf } = createListCursor(deps.cursors, scope);
  const { rows, totalCount } = await listSavedCallRows(deps.sql, filter, { after: after(cursor), limit: limit + 1 });
  return { rows, limit, totalCount, cursorOf: ({ position, requestId: id }) => cursorOf({ position, id }) };
}

/** Throws `not_found`. */
export async function readSavedCall(sql: Sql, address: SavedCallAddress): Promise<SavedCallDetail> {
  const call = isRequestId(address.requestId) ? await findSavedCall(sql, address) : null;
  if (!call) throw noSuchCall();
  return call;
}

/** Throws `not_found`, the second time as well. */
export async function deleteSavedCall(sql: Sql, address: SavedCallAddress): Promise<void> {
  const deleted = isRequestId(address.requestId) && (await deleteRow(sql, address));
  if (!deleted) throw noSuchCall();
}

/** Rows of one statement: a row may hold a megabyte. */
const batchRows = 200;

/** Deletes all calls of the filter; says how many. Stopped half way, it can be asked again. */
export async function deleteSavedCalls(sql: Sql, filter: SavedCallFilter): Promise<number> {
  let deleted = 0;
  for (;;) {
    const count = await deleteSavedCallRows(sql, filter, batchRows);
    if (count === 0) return deleted;
    deleted += count;
  }
}

export const isRequestId = (text: string): boolean => /^req_[0-9A-Z]{26}$/.test(text);

function noSuchCall() {
  return fault('not_found', { message: 'There is no such saved call.' });
}
