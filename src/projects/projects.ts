import { randomBytes } from 'node:crypto';
import { checkSlug } from '#accounts';
import { constraintOf, type Sql } from '#db';
import { fault, newId } from '#kernel';
import type { ProjectSeen } from './access.store.ts';
import { isArchived } from './access.ts';
import { type Author, tellOfChange, tellOfCreation } from './project-activity.ts';
import { checkSettings, type ProjectPatch, planChange } from './project-change.ts';
import {
  insertProject,
  lockOwner,
  lockProject,
  type Project,
  type ProjectKind,
  updateProject,
} from './projects.store.ts';
import type { RunningWork } from './running-work.ts';
import { searchTextOf } from './search-text.ts';
import { slugFromName } from './slug-from-name.ts';

export type NewProject = Author & {
  accountId: string;
  /** Default: made from the name. One of the two must be there. */
  slug?: string | undefined;
  name?: string | undefined;
  kind: ProjectKind;
  description?: string | null | undefined;
  visibility?: Project['visibility'] | undefined;
  inferenceAutoSave?: boolean | undefined;
};

/**
 * Makes a project, in the transaction `tx` that also tells the feed; its kind and slug never change. Throws
 * `invalid_request` for a bad field, `kind_mismatch` for auto-save without text, `slug_taken`, and `state_conflict` when
 * the account has as many open projects as it may have.
 */
export async function createProject(tx: Sql, input: NewProject): Promise<ProjectSeen> {
  const { accountId, kind } = input;
  const slug = checkSlug(input.slug ?? slugFromName(input.name ?? '', randomSuffix));
  const settings = {
    name: input.name ?? slug,
    description: input.description ?? null,
    visibility: input.visibility ?? 'private',
    inferenceAutoSave: input.inferenceAutoSave ?? false,
  };
  checkSettings(kind, settings);
  const ownerSlug = await makeRoom(tx, accountId);
  const searchText = searchTextOf({ slug, ...settings });
  const project = await insert(tx, { id: newId('prj'), accountId, slug, kind, ...settings, searchText });
  await tellOfCreation(tx, { project, ownerSlug, author: input });
  return { ...project, ownerSlug, isShared: false };
}

async function insert(tx: Sql, project: Parameters<typeof insertProject>[1]): Promise<Project> {
  try {
    return await insertProject(tx, project);
  } catch (error) {
    if (constraintOf(error) !== 'projects_account_id_slug_key') throw error;
    const message = `The slug ${JSON.stringify(project.slug)} is taken by another project of yours, perhaps an archived one.`;
    throw fault('slug_taken', { message, param: 'slug', cause: error });
  }
}

/** Makes sure that the account may open one more project, also when several are opened at once. Gives its slug. */
async function makeRoom(tx: Sql, accountId: string): Promise<string> {
  const { slug, maxProjects, openProjects } = await lockOwner(tx, accountId);
  if (openProjects < maxProjects) return slug;
  throw fault('state_conflict', {
    message: `The account has ${openProjects} open projects and may have ${maxProjects}. Archive one first.`,
    details: { reason: 'max_projects', limit: maxProjects, actual: openProjects },
  });
}

const randomSuffix = () => randomBytes(3).toString('hex');

export type ProjectUpdate = { seen: ProjectSeen; patch: ProjectPatch; author: Author; work: readonly RunningWork[] };

/**
 * Changes a project that its owner has been found to own, in the transaction `tx` that also tells the feed. What is
 * already as asked for stays as it is, and the feed is silent. Throws `invalid_request` for a bad or fixed field,
 * `kind_mismatch`, `state_conflict` for a change in the archive or too many open projects, and `in_use` for archiving
 * while something runs.
 */
export async function changeProject(tx: Sql, { seen, patch, author, work }: ProjectUpdate): Promise<ProjectSeen> {
  const before = await lockProject(tx, seen.id);
  const change = planChange(before, patch);
  if (change.changed.length === 0 && change.move === null) return { ...seen, ...before };
  if (before.archivedAt !== null && change.move !== 'unarchive') throw isArchived();
  if (change.move === 'unarchive') await makeRoom(tx, before.accountId);
  if (change.move === 'archive') await refuseWhileRunning(tx, { projectId: before.id, work });
  const project = await updateProject(tx, {
    id: before.id,
    ...change.next,
    searchText: searchTextOf({ slug: before.slug, ...change.next }),
    archived: change.move === null ? before.archivedAt !== null : change.move === 'archive',
  });
  await tellOfChange(tx, { before, project, change, ownerSlug: seen.ownerSlug, author });
  return { ...seen, ...project };
}

async function refuseWhileRunning(
  tx: Sql,
  { projectId, work }: { projectId: string; work: readonly RunningWork[] },
): Promise<void> {
  const running: { kind: string; count: number }[] = [];
  for (const { kind, countRunning } of work) {
    const count = await countRunning(tx, projectId);
    if (count > 0) running.push({ kind, count });
  }
  if (running.length === 0) return;
  const list = running.map(({ kind, count }) => `${kind.replaceAll('_', ' ')} (${count})`).join(', ');
  throw fault('in_use', { message: `The project has running work: ${list}.`, details: { running } });
}
