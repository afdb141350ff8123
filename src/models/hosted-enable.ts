import { randomUUID } from 'node:crypto';
import { fault } from '#kernel';
import { tellOfHosted } from './hosted-activity.ts';
import { enableHosted } from './hosted-changes.store.ts';
import { changedMeanwhile } from './hosted-conflict.ts';
import type { HostedDeps } from './hosted-deps.ts';
import { type Activation, findHostedModelById, type HostedModel } from './hosted-models.store.ts';
import type { Place } from './hosted-place.ts';
import { findTarget, type HostedTarget } from './hosted-target.ts';

/**
 * What activating a target means now: what the engine has loaded already needs no load check.
 */
export function whatEnabling(
  { engine }: Pick<HostedDeps, 'engine'>,
  { by, project }: Place,
  target: HostedTarget,
): { state: 'active' | 'warming'; sha256: string | null; activation: Activation | null } {
  const isLoaded = target.runs.adapter === null && engine.status(target.baseModel.id).status === 'ready';
  if (isLoaded) return { state: 'active', sha256: target.sha256, activation: null };
  const activation = { id: randomUUID(), tries: 0, ...by, accountId: project.accountId };
  return { state: 'warming', sha256: null, activation };
}

/**
 * Freezes the rate and begins to warm. A model that is active, or warms already, is left as it is. Throws
 * `model_not_found`, `state_conflict` and `invalid_request` when its target cannot be served (any more).
 */
export async function enable(deps: HostedDeps, place: Place, seen: HostedModel): Promise<HostedModel> {
  if (seen.state === 'active') return seen;
  // The check is in flight; asking for it again mends a queue that lost it, and adds nothing to one that did not.
  if (seen.state === 'warming') {
    await deps.activations.enqueue(deps.database, seen.id);
    return seen;
  }
  const target = await targetOf(deps, place, seen);
  const enabling = whatEnabling(deps, place, target);
  const model = await deps.database.transaction(async (tx) => {
    await place.lock(tx);
    const changed = await enableHosted(tx, {
      id: seen.id,
      projectId: seen.projectId,
      seen,
      rateMicroPerMinute: target.baseModel.rateMicroPerMinute,
      priceVersion: target.baseModel.priceVersion,
      sha256: enabling.sha256,
      activation: enabling.activation,
    });
    if (!changed) return null;
    if (changed.state === 'warming') await deps.activations.enqueue(tx, changed.id);
    else {
      const message = `The model "${changed.alias}" is active.`;
      const happening = { type: 'model.activated', severity: 'success', message } as const;
      await tellOfHosted(tx, { by: place.by, model: changed }, happening);
    }
    return changed;
  });
  return model ?? otherwiseEnabled(deps, seen);
}

/** Two activations at once are one; anything else that came between is told. */
async function otherwiseEnabled(deps: HostedDeps, seen: HostedModel): Promise<HostedModel> {
  const now = await findHostedModelById(deps.database, seen);
  const isSame = now?.revision === seen.revision && (now.state === 'warming' || now.state === 'active');
  if (!now || !isSame) throw changedMeanwhile(now);
  return now;
}

async function targetOf({ targets }: HostedDeps, { project }: Place, model: HostedModel): Promise<HostedTarget> {
  const target = await findTarget(targets, { type: model.targetType, id: model.targetId }, project.accountId);
  if (target.kind === project.kind) return target;
  throw fault('invalid_request', {
    message: `target: ${model.targetId} is of kind ${target.kind} now; the project is of kind ${project.kind}.`,
    param: 'target',
  });
}
