import type { Sql } from '#db';

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

export async function insertProject(
  sql: Sql,
  project: Pick<Project, 'id' | 'accountId' | 'slug' | 'name' | 'kind' | 'visibility'>,
): Promise<Project> {
  const [row] = await sql.query<Project>(
    `insert into projects as p (id, account_id, slug, name, kind, visibility)
     values ($1, $2, $3, $4, $5, $6) returning ${projectColumns}`,
    [project.id, project.accountId, project.slug, project.name, project.kind, project.visibility],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  return row;
}

/** The project at `/api/projects/{owner}/{project}`, whoever asks. */
export async function findProject(sql: Sql, ownerSlug: string, projectSlug: string): Promise<Project | null> {
  const [row] = await sql.query<Project>(
    `select ${projectColumns} from projects p join accounts a on a.id = p.account_id where a.slug = $1 and p.slug = $2`,
    [ownerSlug, projectSlug],
  );
  return row ?? null;
}
