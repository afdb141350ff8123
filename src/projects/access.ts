import type { FastifyRequest } from 'fastify';
import type { Sql } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { findProjectFor, findProjectForChange, type ProjectSeen } from './access.store.ts';

/** What the caller is to a project: its owner, somebody whom a model was shared with, or anybody, as it is public. */
export type CallerRole = 'owner' | 'shared' | 'public';

export type ProjectView = { project: ProjectSeen; role: CallerRole };

/** Path parameters of every route under `/api/v1/projects/:owner/:project`. */
export type ProjectPath = { owner: string; project: string };

export const projectPrefix = '/api/v1/projects/:owner/:project';

/** The project that the path of a request names; only for routes under `projectPrefix`. */
export function projectPathOf({ params }: Pick<FastifyRequest, 'params'>): ProjectPath {
  // as: the prefix declares both parameters.
  return params as ProjectPath;
}

/**
 * The project as the caller may see it. Somebody else's private project is as unknown as one that never was:
 * throws `not_found`.
 */
export async function seeProject(sql: Sql, principal: Principal, path: ProjectPath): Promise<ProjectView> {
  return viewOf(await findProjectFor(sql, queryOf(principal, path)), principal);
}

/** What an account is to a project; null when it may not know of it. */
function roleIn(project: ProjectSeen, accountId: string): CallerRole | null {
  if (project.accountId === accountId) return 'owner';
  if (project.isShared) return 'shared';
  return project.visibility === 'public' ? 'public' : null;
}

/**
 * The caller's own project, for what only its owner may read: others get `not_found`, whether they see the project or
 * not. Archived projects can be read.
 */
export async function readOwnProject(sql: Sql, principal: Principal, path: ProjectPath): Promise<ProjectSeen> {
  const { project, role } = await seeProject(sql, principal, path);
  if (role !== 'owner') throw noSuchProject();
  return project;
}

/**
 * The caller's own project, for a change. Throws `not_found` when the caller cannot see it, `owner_required` when he
 * can but does not own it, `state_conflict` when it is archived. In the transaction that makes the change, the project
 * is not archived before that is done.
 */
export async function changeOwnProject(sql: Sql, principal: Principal, path: ProjectPath): Promise<ProjectSeen> {
  const { project, role } = viewOf(await findProjectForChange(sql, queryOf(principal, path)), principal);
  if (role !== 'owner') throw fault('owner_required');
  if (project.archivedAt !== null) throw isArchived();
  return project;
}

export function isArchived() {
  return fault('state_conflict', {
    message: 'This project is archived.',
    details: { state: 'archived', allowed_from: ['active'] },
  });
}

function viewOf(project: ProjectSeen | null, { accountId }: Principal): ProjectView {
  const role = project && roleIn(project, accountId);
  if (!project || !role) throw noSuchProject();
  return { project, role };
}

function queryOf({ accountId }: Principal, { owner, project }: ProjectPath) {
  return { ownerSlug: owner, projectSlug: project, accountId };
}

function noSuchProject() {
  return fault('not_found', { message: 'There is no such project, or you may not see it.' });
}
