import type { Sql } from '#db';
import { type CursorCodec, createListCursor, type PageRequest } from '#kernel';
import { countVersions, listVersions } from './versions.store.ts';

export async function pageOfVersions(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  filter: { projectId: string; datasetId: string | null },
  { limit, cursor }: PageRequest,
) {
  const scope = ['dataset-versions', filter.projectId, filter.datasetId ?? ''];
  const { after, cursorOf } = createListCursor(cursors, scope);
  const [rows, totalCount] = await Promise.all([
    listVersions(sql, filter, { after: after(cursor), limit: limit + 1 }),
    countVersions(sql, filter),
  ]);
  return { rows, totalCount, limit, cursorOf };
}
