import { monthsBefore, type PartitionedTable, type Sql } from '#db';
import {
  type Clock,
  type CursorCodec,
  fault,
  isId,
  type Listed,
  type ListPage,
  type PageRequest,
  readListPage,
} from '#kernel';
import {
  type ActivityFilter,
  type ActivityRow,
  type ArchiveSelection,
  archiveSelected,
  countActivityRows,
  listActivityRows,
  updateActivityArchived,
} from './activity.store.ts';

export function listActivity(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  filter: ActivityFilter,
  page: PageRequest,
): Promise<ListPage<Listed<ActivityRow>>> {
  const { accountId, archived, type, project, actorId } = filter;
  const narrowed = [type, project?.ownerSlug, project?.slug, actorId].map((value) => value ?? '');
  return readListPage({ cursors, scope: ['activity', accountId, archived, ...narrowed] }, page, {
    list: (rows) => listActivityRows(sql, filter, rows),
    count: () => countActivityRows(sql, filter),
  });
}

/** Takes a row out of the feed or puts it back. Throws `not_found`. */
export async function setActivityArchived(
  sql: Sql,
  row: { accountId: string; id: string; archived: boolean },
): Promise<ActivityRow> {
  const found = isId('act', row.id) ? await updateActivityArchived(sql, row) : null;
  if (!found) throw fault('not_found', { message: 'There is no such activity.' });
  return found;
}

const batchRows = 1_000;

/** Archives every row of the selection; those of others are not there. Stopped half way, it can be repeated. */
export async function archiveActivity(sql: Sql, { accountId, before, ids }: ArchiveSelection): Promise<number> {
  const selection = { accountId, before, ids: ids?.filter((id) => isId('act', id)) ?? null };
  let archived = 0;
  for (;;) {
    const count = await archiveSelected(sql, selection, batchRows);
    if (count === 0) return archived;
    archived += count;
  }
}

/** @param keepMonths whole months of the feed before this one; null: all. */
export function activityMonths(clock: Clock, keepMonths: number | null): PartitionedTable {
  const keptSince = () => (keepMonths === null ? null : monthsBefore(clock.nowMs(), keepMonths));
  return { table: 'activity', key: 'time', keptSince, removal: 'drop' };
}
