import type { FastifyRequest } from 'fastify';
import { type Actor, actorOf, type Happening, recordActivity, systemActor } from '#activity';
import type { Sql } from '#db';
import type { Principal } from '#http';
import { fault, isId } from '#kernel';
import { changeOwnProject, type ProjectPath, type ProjectSeen, projectPathOf, readOwnProject } from '#projects';
import { findHostedModelById, type HostedModel } from './hosted-models.store.ts';

export type HostedChange = {
  actor: Actor;
  requestId?: string;
  accountId: string;
  project: { ownerSlug: string; slug: string };
};

/** The owner's project, and who changes what in it. */
export type HostedScope = {
  project: ProjectSeen;
  change: HostedChange;
  /** In the transaction of a change: until it ends nobody archives the project. Throws what forbids the change. */
  lock: (tx: Sql) => Promise<void>;
};

/** Only the owner reads what a project hosts; what others may call is in the compatible list and in the registry. */
export async function authorizeHostedRead(sql: Sql, request: FastifyRequest): Promise<HostedScope> {
  return scopeOf(request, await readOwnProject(sql, request.principal, projectPathOf(request)));
}

export async function authorizeHostedWrite(sql: Sql, request: FastifyRequest): Promise<HostedScope> {
  return scopeOf(request, await changeOwnProject(sql, request.principal, projectPathOf(request)));
}

function scopeOf(request: FastifyRequest, project: ProjectSeen): HostedScope {
  const { principal, id: requestId } = request;
  const change = { actor: actorOf(principal), requestId };
  return scopeOfProject(project, change, { principal, path: projectPathOf(request) });
}

/** The project of a finished training job, which the program changes in the name of its owner. */
export async function authorizeDeployment(
  sql: Sql,
  { accountId, ownerSlug, projectSlug }: { accountId: string; ownerSlug: string; projectSlug: string },
): Promise<HostedScope> {
  const principal: Principal = {
    accountId,
    accountSlug: ownerSlug,
    role: 'user',
    method: 'session',
    keyId: null,
    keyName: null,
    sessionId: null,
  };
  const path = { owner: ownerSlug, project: projectSlug };
  const project = await changeOwnProject(sql, principal, path);
  return scopeOfProject(project, { actor: systemActor }, { principal, path });
}

function scopeOfProject(
  project: ProjectSeen,
  change: Pick<HostedChange, 'actor' | 'requestId'>,
  { principal, path }: { principal: Principal; path: ProjectPath },
): HostedScope {
  const { accountId, ownerSlug, slug } = project;
  return {
    project,
    change: { ...change, accountId, project: { ownerSlug, slug } },
    lock: async (tx) => void (await changeOwnProject(tx, principal, path)),
  };
}

export async function readHostedModel(sql: Sql, { project }: HostedScope, id: string): Promise<HostedModel> {
  const model = isId('hm', id) ? await findHostedModelById(sql, { id, projectId: project.id }) : null;
  if (!model) throw fault('not_found', { message: 'There is no such hosted model.' });
  return model;
}

/** Writes into the feed of the project's owner, in the transaction of the change. */
export function recordHostedActivity(
  tx: Sql,
  change: HostedChange,
  model: HostedModel,
  { data = {}, ...activity }: Pick<Happening, 'type' | 'severity' | 'message' | 'data'>,
): Promise<void> {
  return recordActivity(tx, {
    ...change,
    ...activity,
    subject: { kind: 'hosted_model', id: model.id, label: model.alias },
    data: { revision: model.revision, target: { type: model.targetType, id: model.targetId }, ...data },
  });
}

/** Another request was faster; nothing was changed here. */
export function changedMeanwhile(now: HostedModel | null) {
  return fault('state_conflict', {
    message: 'This model was changed by another request meanwhile. Look at it again.',
    details: { reason: 'changed_meanwhile', state: now?.state ?? null, revision: now?.revision ?? null },
  });
}
