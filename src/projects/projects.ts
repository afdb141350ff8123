import { checkSlug } from '#accounts';
import { constraintOf, type Sql } from '#db';
import { checkDisplayName, fault, newId } from '#kernel';
import { insertProject, type Project, type ProjectKind } from './projects.store.ts';

export type NewProject = {
  accountId: string;
  slug: string;
  name?: string;
  kind: ProjectKind;
  visibility?: Project['visibility'];
};

/** Makes a project; its kind never changes. Throws `invalid_request` for a bad slug or name, `slug_taken`. */
export async function createProject(sql: Sql, input: NewProject): Promise<Project> {
  const { accountId, kind, visibility = 'private' } = input;
  const slug = checkSlug(input.slug);
  const name = checkDisplayName(input.name ?? slug, 'name');
  try {
    return await insertProject(sql, { id: newId('prj'), accountId, slug, name, kind, visibility });
  } catch (error) {
    if (constraintOf(error) === 'projects_account_id_slug_key')
      throw fault('slug_taken', { param: 'slug', cause: error });
    throw error;
  }
}
