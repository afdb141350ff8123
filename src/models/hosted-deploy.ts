import { systemActor } from '#activity';
import type { Database } from '#db';
import type { Principal } from '#http';
import { changeOwnProject } from '#projects';
import type { HostedDeps } from './hosted-deps.ts';
import { findHostedModel, type HostedModel } from './hosted-models.store.ts';
import { activateHostedModel, changeHostedModel, createHostedModel } from './hosted-models.ts';
import type { Place } from './hosted-place.ts';

/** A finished training job and the alias that shall stand for it. */
export type NewDeployment = {
  accountId: string;
  ownerSlug: string;
  projectSlug: string;
  alias: string;
  jobId: string;
  activate: boolean;
};

/**
 * Puts a training job behind an alias in the name of its owner: a new one, or one that is there and then has a new revision.
 * Throws what the routes for the same would.
 */
export async function deployJob(deps: HostedDeps, wanted: NewDeployment): Promise<HostedModel> {
  const place = await placeOf(deps.database, wanted);
  const { alias, jobId, activate } = wanted;
  const target = { type: 'training_job', id: jobId } as const;
  const there = await findHostedModel(deps.database, place.project.id, alias);
  if (!there) {
    const visibility = 'private' as const;
    return createHostedModel(deps, place, { alias, target, displayName: null, visibility, activate });
  }
  const change = { displayName: null, visibility: null, target };
  const changed = await changeHostedModel(deps, place, { id: there.id, change });
  return activate ? activateHostedModel(deps, place, changed.id) : changed;
}

async function placeOf(database: Database, wanted: NewDeployment): Promise<Place> {
  const { accountId, ownerSlug, projectSlug } = wanted;
  const owner: Principal = {
    accountId,
    accountSlug: ownerSlug,
    role: 'user',
    method: 'session',
    keyId: null,
    keyName: null,
    sessionId: null,
  };
  const path = { owner: ownerSlug, project: projectSlug };
  const project = await changeOwnProject(database, owner, path);
  return {
    project,
    by: { actor: systemActor, requestId: null, accountId, project: { ownerSlug, slug: projectSlug } },
    lock: async (tx) => void (await changeOwnProject(tx, owner, path)),
  };
}
