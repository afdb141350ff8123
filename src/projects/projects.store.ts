import type { Sql } from '#db';
import { fault } from '#kernel';

export type ProjectKind = 'text' | 'embedding';

export type Project = {
  id: string;
  accountId: string;
  slug: string;
  name: string;
  description: string | null;
  kind: ProjectKind;
  visibility: 'private' | 'public';
  inferenceAutoSave: boolean;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

export const projectColumns = `p.id, p.account_id as "accountId", p.slug, p.name, p.description, p.kind, p.visibility,
  p.inference_auto_save as "inferenceAutoSave", p.archived_at as "archivedAt", p.created_at as "createdAt",
  p.updated_at as "updatedAt"`;

/** What the owner may set, and the text that searches look through. */
type Settings = Pick<Project, 'name' | 'description' | 'visibility' | 'inferenceAutoSave'> & { searchText: string };

export async function insertProject(
  sql: Sql,
  project: Pick<Project, 'id' | 'accountId' | 'slug' | 'kind'> & Settings,
): Promise<Project> {
  const { id, accountId, slug, kind, name, description, visibility, inferenceAutoSave, searchText } = project;
  const [row] = await sql.query<Project>(
    `insert into projects as p (id, account_id, slug, kind, name, description, visibility, inference_auto_save, search_text)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${projectColumns}`,
    [id, accountId, slug, kind, name, description, visibility, inferenceAutoSave, searchText],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  return row;
}

export async function updateProject(
  sql: Sql,
  project: Pick<Project, 'id'> & Settings & { archived: boolean },
): Promise<Project> {
  const { id, name, description, visibility, inferenceAutoSave, searchText, archived } = project;
  const [row] = await sql.query<Project>(
    `update projects as p set name = $2, description = $3, visibility = $4, inference_auto_save = $5, search_text = $6,
            archived_at = case when $7 then coalesce(archived_at, now()) end, updated_at = now()
      where id = $1 returning ${projectColumns}`,
    [id, name, description, visibility, inferenceAutoSave, searchText, archived],
  );
  if (!row) throw new Error('A project that was locked is gone. This is a bug.');
  return row;
}

/** The project as it is once no change of it or in it is in flight; none begins until the end of the transaction. */
export async function lockProject(tx: Sql, id: string): Promise<Project> {
  const [row] = await tx.query<Project>(`select ${projectColumns} from projects p where id = $1 for no key update`, [
    id,
  ]);
  // Deleted since it was seen.
  if (!row) throw fault('not_found', { message: 'There is no such project, or you may not see it.' });
  return row;
}

export type Owner = { slug: string; maxProjects: number; openProjects: number };

/**
 * The account, how many open projects it may have, and has. Until the end of the transaction nobody else counts: the
 * lock is what keeps two creations at the same time within the limit. It comes first, so that the count comes after
 * those that were before.
 */
export async function lockOwner(tx: Sql, accountId: string): Promise<Owner> {
  const [account] = await tx.query<Omit<Owner, 'openProjects'>>(
    'select slug, max_projects as "maxProjects" from accounts where id = $1 and deleted_at is null for no key update',
    [accountId],
  );
  const [count] = await tx.query<{ openProjects: number }>(
    'select count(*)::integer as "openProjects" from projects where account_id = $1 and archived_at is null',
    [accountId],
  );
  // Deleted since the request began.
  if (!account || !count) throw fault('account_suspended');
  return { ...account, ...count };
}
