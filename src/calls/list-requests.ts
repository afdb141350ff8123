import type { Static } from 'typebox';
import type { Sql } from '#db';
import { type Clock, type CursorCodec, fault, firstIdAt, formatCredits, type PageRequest, timeOfId } from '#kernel';
import { keptMs } from './kept-time.ts';
import { findRequestPage, type RequestFilter, type RequestRow } from './request-list.store.ts';
import type { RequestRecord } from './request-record.ts';
import type { requestsQuery } from './requests.schema.ts';

/** What the list of requests is read with. */
export type CursorSource = { sql: Sql; cursors: CursorCodec; clock: Clock };

type RequestPage = { rows: RequestRecord[]; nextCursor: string | null; totalCount: number; isExact: boolean };

/** The calls of an account that have ended, the latest arrival first. */
export async function listRequests(
  { sql, cursors, clock }: CursorSource,
  accountId: string,
  query: Static<typeof requestsQuery>,
  { limit, cursor }: PageRequest,
): Promise<RequestPage> {
  const { from, to, project, model = null, key_id: keyId = null, state = null, error_code: errorCode = null } = query;
  const { route: operation = null } = query;
  const since = readTime(from, 'from');
  const until = readTime(to, 'to');
  if (since !== null && until !== null && until < since)
    throw fault('invalid_request', { message: 'to: must not be before from.', param: 'to' });
  // The times move with the clock of whoever reads on.
  const scope = ['requests', accountId, JSON.stringify([project, model, keyId, state, errorCode, operation])];
  const [before] = cursor === null ? [] : cursors.decode(scope, cursor);
  const end = until === null ? null : firstIdAt('req', until);
  const filter: RequestFilter = {
    accountId,
    firstId: firstIdAt('req', Math.max(clock.nowMs() - keptMs, since ?? 0)),
    endId: end,
    project: project === undefined ? null : addressOf(project),
    model,
    keyId,
    state,
    errorCode,
    operation,
  };
  const { rows, next, totalCount, isExact } = await findRequestPage(sql, filter, { limit, before: before ?? null });
  return {
    rows: rows.map(recordOfRow),
    nextCursor: next === null ? null : cursors.encode(scope, [next]),
    totalCount,
    isExact,
  };
}

/** The schema has checked its form. */
function addressOf(address: string): readonly [owner: string, slug: string] {
  const [owner = '', slug = ''] = address.split('/');
  return [owner, slug];
}

/** With a margin for ids, whose time has 48 bits. */
const latestMs = Date.UTC(9999, 0);

function readTime(text: string | undefined, param: 'from' | 'to'): number | null {
  if (text === undefined) return null;
  const ms = new Date(text).getTime();
  if (Number.isNaN(ms)) throw fault('invalid_request', { message: `${param}: expected an RFC 3339 time.`, param });
  return Math.min(Math.max(0, ms), latestMs);
}

function recordOfRow({ operation, micro, keyId, keyName, ownerSlug, projectSlug, ...row }: RequestRow): RequestRecord {
  return {
    ...row,
    route: operation,
    project: ownerSlug === null || projectSlug === null ? null : { owner: ownerSlug, slug: projectSlug },
    key: keyId === null ? null : { id: keyId, name: keyName ?? keyId },
    activeMs: Math.round(row.activeMs),
    credits: formatCredits(micro),
    createdAt: new Date(timeOfId('req', row.id) ?? 0),
  };
}
