import type { Sql } from '#db';
import { type CursorCodec, createListCursor, type PageRequest } from '#kernel';
import { countIndexes, type Digests, type IndexFilter, listIndexes } from './indexes.store.ts';

export async function pageOfIndexes(
  { sql, cursors, digests }: { sql: Sql; cursors: CursorCodec; digests: Digests },
  filter: IndexFilter,
  { limit, cursor }: PageRequest,
) {
  const { projectId, datasetId, state } = filter;
  const { after, cursorOf } = createListCursor(cursors, ['dataset-indexes', projectId, datasetId ?? '', state ?? '']);
  const [rows, totalCount] = await Promise.all([
    listIndexes(sql, filter, { digests, after: after(cursor), limit: limit + 1 }),
    countIndexes(sql, filter, digests),
  ]);
  return { rows, totalCount, limit, cursorOf };
}
