import type { Sql } from '#db';
import { type CursorCodec, createListCursor, type ListPage, type PageRequest } from '#kernel';
import type { ProjectSeen } from './access.store.ts';
import type { CallerRole } from './access.ts';
import { countContents, type ProjectCounts } from './contents.store.ts';
import {
  countProjects,
  type ListedProject,
  listProjects as listProjectRows,
  type ProjectFilter,
} from './project-list.store.ts';

export type ShownProject = {
  project: ProjectSeen;
  role: CallerRole;
  /** Null for everybody but the owner. */
  counts: ProjectCounts | null;
};

export type ProjectPage = ListPage<ListedProject> & { shownOf: (row: ListedProject) => ShownProject };

export async function listProjects(
  deps: { sql: Sql; cursors: CursorCodec },
  filter: ProjectFilter,
  { limit, cursor }: PageRequest,
): Promise<ProjectPage> {
  const { accountId, access, archived, kind, search } = filter;
  const scope = ['projects', accountId, access, String(archived), kind ?? '', search ?? ''];
  const { after, cursorOf } = createListCursor(deps.cursors, scope);
  const [rows, totalCount] = await Promise.all([
    listProjectRows(deps.sql, filter, { after: after(cursor), limit: limit + 1 }),
    countProjects(deps.sql, filter),
  ]);
  const own = rows.filter((row) => row.accountId === accountId).map(({ id }) => id);
  const counts = own.length === 0 ? new Map<string, ProjectCounts>() : await countContents(deps.sql, own);
  return {
    rows,
    limit,
    totalCount,
    cursorOf,
    shownOf: (project) => ({
      project,
      role: project.isShared ? 'shared' : 'owner',
      counts: counts.get(project.id) ?? null,
    }),
  };
}

export async function showToOwner(sql: Sql, project: ProjectSeen): Promise<ShownProject> {
  const counts = await countContents(sql, [project.id]);
  return { project, role: 'owner', counts: counts.get(project.id) ?? null };
}
