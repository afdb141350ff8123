import type { Sql } from '#db';
import type { Principal } from '#http';
import { fault } from '#kernel';
import { findProjectFor, type ProjectSeen } from './access.store.ts';

/** What the caller is to a project: its owner, somebody whom a model was shared with, or anybody, as it is public. */
export type CallerRole = 'owner' | 'shared' | 'public';

export type ProjectView = { project: ProjectSeen; role: CallerRole };

/** Path parameters of every route under `/api/v1/projects/:owner/:project`. */
export type ProjectPath = { owner: string; project: string };

/** Prefix of the routes of a project. */
export const projectPrefix = '/api/v1/projects/:owner/:project';

/**
 * The project as the caller may see it. Somebody else's private project is as unknown as one that never was:
 * throws `not_found`.
 */
export async function seeProject(sql: Sql, principal: Principal, path: ProjectPath): Promise<ProjectView> {
  const project = await findProjectFor(sql, {
    ownerSlug: path.owner,
    projectSlug: path.project,
    accountId: principal.accountId,
  });
  if (!project) throw noSuchProject();
  if (project.accountId === principal.accountId) return { project, role: 'owner' };
  if (project.isShared) return { project, role: 'shared' };
  if (project.visibility === 'public') return { project, role: 'public' };
  throw noSuchProject();
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
 * can but does not own it, `state_conflict` when it is archived.
 */
export async function changeOwnProject(sql: Sql, principal: Principal, path: ProjectPath): Promise<ProjectSeen> {
  const { project, role } = await seeProject(sql, principal, path);
  if (role !== 'owner') throw fault('owner_required');
  if (project.archivedAt !== null)
    throw fault('state_conflict', {
      message: 'This project is archived.',
      details: { state: 'archived', allowed_from: ['active'] },
    });
  return project;
}

function noSuchProject() {
  return fault('not_found', { message: 'There is no such project, or you may not see it.' });
}
