import { randomUUID } from 'node:crypto';
import { checkDisplayName, fault } from '#kernel';
import type { ProjectSeen } from '#projects';
import type { HostedDeps } from './hosted-activation.ts';
import { checkAlias, insertAlias } from './hosted-alias.ts';
import { disableHosted, enableHosted, updateDisplay } from './hosted-changes.store.ts';
import {
  findHostedModelById,
  type HostedModel,
  type ModelVisibility,
  type PendingActivation,
} from './hosted-models.store.ts';
import { displayChangeOf, isTargetOf, retarget } from './hosted-retarget.ts';
import { changedMeanwhile, type HostedScope, readHostedModel, recordHostedActivity } from './hosted-scope.ts';
import { findTarget, type HostedTarget, type TargetName } from './hosted-target.ts';
import { projectKindOf } from './model-kinds.ts';

export type NewAlias = {
  alias: string;
  target: TargetName;
  displayName: string | null;
  visibility: ModelVisibility;
  activate: boolean;
};

/**
 * Makes an alias. Throws `invalid_request` for a bad name, `model_not_found`, `state_conflict` and `kind_mismatch` for a
 * target that cannot be served here, `alias_taken`.
 */
export async function createHostedModel(deps: HostedDeps, scope: HostedScope, input: NewAlias): Promise<HostedModel> {
  const { project, change } = scope;
  const alias = checkAlias(input.alias, deps.targets.models);
  const displayName = checkDisplayName(input.displayName ?? alias, 'display_name');
  const target = await findTarget(deps.targets, input.target, project.accountId);
  checkKind(target, project);
  const enabling = input.activate ? planActivation(deps, scope, target) : null;
  return deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const model = await insertAlias(tx, {
      projectId: project.id,
      alias,
      displayName,
      targetType: target.name.type,
      targetId: target.name.id,
      baseModelId: target.baseModel.id,
      revisionSha256: enabling?.sha256 ?? null,
      visibility: input.visibility,
      state: enabling?.state ?? 'inactive',
      rateMicroPerMinute: target.baseModel.rateMicroPerMinute,
      priceVersion: target.baseModel.priceVersion,
      activation: enabling?.activation ?? null,
      createdBy: change.actor,
    });
    const message = `The model "${alias}" was created.`;
    await recordHostedActivity(tx, change, model, { type: 'model.created', message });
    if (model.state === 'warming') await deps.activations.enqueue(tx, model.id);
    if (model.state === 'active') {
      await recordHostedActivity(tx, change, model, {
        type: 'model.activated',
        message: `The model "${alias}" is active.`,
      });
    }
    return model;
  });
}

/** A target of another kind than the project's cannot be put behind an alias of it. */
function checkKind({ kind }: HostedTarget, project: ProjectSeen): void {
  if (projectKindOf(kind) === project.kind) return;
  throw fault('kind_mismatch', {
    message: `This is a model of kind ${kind}; the project is of kind ${project.kind}.`,
    param: 'target',
  });
}

export type AliasUpdate = {
  displayName: string | null;
  visibility: ModelVisibility | null;
  target: TargetName | null;
};

/**
 * Changes what an alias is called, who may call it and what it stands for. The target of an active alias is loaded
 * before anything changes; when that fails, nothing does (`state_conflict`).
 */
export async function changeHostedModel(
  deps: HostedDeps,
  scope: HostedScope,
  { id, update }: { id: string; update: AliasUpdate },
): Promise<HostedModel> {
  const model = await readHostedModel(deps.database, scope, id);
  const display = displayChangeOf(model, update);
  if (update.target && !isTargetOf(model, update.target)) {
    const target = await findTarget(deps.targets, update.target, scope.project.accountId);
    checkKind(target, scope.project);
    return retarget(deps, scope, { model, target, display, restoredFrom: null });
  }
  return deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const changed = await updateDisplay(tx, { id: model.id, projectId: model.projectId, display });
    if (!changed) return model;
    const message = `The model "${changed.alias}" was changed.`;
    const data = { display_name: changed.displayName, visibility: changed.visibility };
    await recordHostedActivity(tx, scope.change, changed, { type: 'model.updated', message, data });
    return changed;
  });
}

/** Calls by this name are refused from now on; those that run finish. */
export async function deactivateHostedModel(deps: HostedDeps, scope: HostedScope, id: string): Promise<HostedModel> {
  const seen = await readHostedModel(deps.database, scope, id);
  return deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const model = await disableHosted(tx, seen);
    if (!model) return { ...seen, state: 'inactive', error: null };
    const message = `The model "${model.alias}" was deactivated.`;
    await recordHostedActivity(tx, scope.change, model, { type: 'model.deactivated', message });
    return model;
  });
}

/** The state after an activation: what the engine has loaded already needs no load check. */
function planActivation(
  { engine }: Pick<HostedDeps, 'engine'>,
  { change }: HostedScope,
  target: HostedTarget,
): { state: 'active' | 'warming'; sha256: string | null; activation: PendingActivation | null } {
  const isLoaded = target.runs.adapter === null && engine.status(target.baseModel.id).status === 'ready';
  if (isLoaded) return { state: 'active', sha256: target.sha256, activation: null };
  return { state: 'warming', sha256: null, activation: { ...change, id: randomUUID(), tries: 0 } };
}

/**
 * Freezes the rate and begins to warm; the load check goes on in the background. A model that is active, or warms already, is
 * left as it is. Throws `model_not_found`, `state_conflict` and `invalid_request` when its target cannot be served (any more).
 */
export async function activateHostedModel(deps: HostedDeps, scope: HostedScope, id: string): Promise<HostedModel> {
  const seen = await readHostedModel(deps.database, scope, id);
  if (seen.state === 'active') return seen;
  // The check is in flight; enqueueing it again repairs a queue that lost it, and adds nothing to one that did not.
  if (seen.state === 'warming') {
    await deps.activations.enqueue(deps.database, seen.id);
    return seen;
  }
  const target = await targetOf(deps, scope, seen);
  const { sha256, activation } = planActivation(deps, scope, target);
  const { rateMicroPerMinute, priceVersion } = target.baseModel;
  const model = await deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const changed = await enableHosted(tx, { seen, rateMicroPerMinute, priceVersion, sha256, activation });
    if (changed?.state === 'warming') await deps.activations.enqueue(tx, changed.id);
    else if (changed) {
      const message = `The model "${changed.alias}" is active.`;
      await recordHostedActivity(tx, scope.change, changed, { type: 'model.activated', severity: 'success', message });
    }
    return changed;
  });
  if (model) return model;
  // Two activations at once are one; any other change in between is a conflict.
  const now = await findHostedModelById(deps.database, seen);
  const isSame = now?.revision === seen.revision && (now.state === 'warming' || now.state === 'active');
  if (!now || !isSame) throw changedMeanwhile(now);
  return now;
}

async function targetOf({ targets }: HostedDeps, { project }: HostedScope, model: HostedModel): Promise<HostedTarget> {
  const target = await findTarget(targets, { type: model.targetType, id: model.targetId }, project.accountId);
  if (projectKindOf(target.kind) === project.kind) return target;
  throw fault('invalid_request', {
    message: `target: ${model.targetId} is of kind ${target.kind} now; the project is of kind ${project.kind}.`,
    param: 'target',
  });
}
