import { randomBytes } from 'node:crypto';
import { checkSlug, isSlug, slugText } from '#accounts';
import { constraintOf, type Sql } from '#db';
import { fault, foldText, newId } from '#kernel';
import type { ProjectSeen } from './access.store.ts';
import { isArchived } from './access.ts';
import { type ActivityContext, type Author, recordProjectActivity } from './project-activity.ts';
import { checkSettings, type ProjectChange, type ProjectPatch, planChange } from './project-change.ts';
import {
  insertProject,
  lockOwner,
  lockProject,
  type Project,
  type ProjectKind,
  updateProject,
} from './projects.store.ts';
import { type RunningWork, refuseWhileRunning } from './running-work.ts';

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
 * Makes a project, in the transaction `tx` that also writes the feed; its kind and slug never change. Throws
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
  const ownerSlug = await requireProjectCapacity(tx, accountId);
  const searchText = searchTextOf({ slug, ...settings });
  const project = await insert(tx, { id: newId('prj'), accountId, slug, kind, ...settings, searchText });
  await recordProjectActivity(
    tx,
    { project, ownerSlug, author: input },
    {
      type: 'project.created',
      message: `The project "${project.name}" was created.`,
      data: { kind, visibility: project.visibility, inference_auto_save: project.inferenceAutoSave },
    },
  );
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
async function requireProjectCapacity(tx: Sql, accountId: string): Promise<string> {
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
 * Changes a project that its owner has been found to own, in the transaction `tx` that also writes the feed. What is
 * already as asked for stays as it is, and the feed is silent. Throws `invalid_request` for a bad or fixed field,
 * `kind_mismatch`, `state_conflict` for a change in the archive or too many open projects, and `in_use` for archiving
 * while something runs.
 */
export async function changeProject(tx: Sql, { seen, patch, author, work }: ProjectUpdate): Promise<ProjectSeen> {
  const before = await lockProject(tx, seen.id);
  const change = planChange(before, patch);
  if (change.changed.length === 0 && change.move === null) return { ...seen, ...before };
  if (before.archivedAt !== null && change.move !== 'unarchive') throw isArchived();
  if (change.move === 'unarchive') await requireProjectCapacity(tx, before.accountId);
  if (change.move === 'archive')
    await refuseWhileRunning(tx, { projectId: before.id, work, advice: 'Wait until it has ended, or cancel it.' });
  const project = await updateProject(tx, {
    id: before.id,
    ...change.next,
    searchText: searchTextOf({ slug: before.slug, ...change.next }),
    archived: change.move === null ? before.archivedAt !== null : change.move === 'archive',
  });
  await recordChange(tx, { before, project, change, ownerSlug: seen.ownerSlug, author });
  return { ...seen, ...project };
}

/**
 * A slug for a project that has only a name: the name's letters and digits as far as they are Latin, `my-lamps` for
 * "My lamps!". A name without any, or one that is a reserved word, gets the random characters of `suffix`.
 */
export function slugFromName(name: string, suffix: () => string): string {
  const slug = slugText(name, 64);
  return isSlug(slug) ? slug : `${slug || 'project'}-${suffix()}`;
}

function searchTextOf(project: { slug: string; name: string; description: string | null }): string {
  return foldText([project.slug, project.name, project.description ?? ''].join('\n'));
}

/** One row for changed settings, and one for a move into the archive or out of it. */
async function recordChange(
  tx: Sql,
  { before, change, ...context }: ActivityContext & { before: Project; change: ProjectChange },
): Promise<void> {
  const { project } = context;
  if (change.changed.length > 0)
    await recordProjectActivity(tx, context, {
      type: 'project.updated',
      message: `The project "${project.name}" was changed.`,
      data: { changed: change.changed.map((field) => wireNames[field]), ...fromTo(before, project) },
    });
  if (change.move !== null) {
    const [type, done] = moves[change.move];
    await recordProjectActivity(tx, context, { type, message: `The project "${project.name}" was ${done}.`, data: {} });
  }
}

const wireNames = {
  name: 'name',
  description: 'description',
  visibility: 'visibility',
  inferenceAutoSave: 'inference_auto_save',
} as const;

const moves = {
  archive: ['project.archived', 'archived'],
  unarchive: ['project.unarchived', 'taken out of the archive'],
} as const;

/** Old and new values of what an audit asks for; the text of a description is not kept twice. */
function fromTo(before: Project, after: Project): Record<string, unknown> {
  const audited = ['name', 'visibility', 'inferenceAutoSave'] as const;
  const pairs = audited
    .filter((field) => before[field] !== after[field])
    .map((field) => [wireNames[field], { from: before[field], to: after[field] }] as const);
  return pairs.length === 0 ? {} : { values: Object.fromEntries(pairs) };
}
