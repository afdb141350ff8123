import { checkDisplayName, fault, isId } from '#kernel';
import type { ProjectSeen } from '#projects';
import { tellOfHosted } from './hosted-activity.ts';
import { checkAlias, insertAlias } from './hosted-alias.ts';
import { disableHosted, updateFace } from './hosted-changes.store.ts';
import type { HostedDeps } from './hosted-deps.ts';
import { enable, whatEnabling } from './hosted-enable.ts';
import { findHostedModelById, type HostedModel, type ModelVisibility } from './hosted-models.store.ts';
import type { Place } from './hosted-place.ts';
import { faceOf, retarget } from './hosted-retarget.ts';
import { findTarget, type HostedTarget, type TargetName } from './hosted-target.ts';

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
export async function createHostedModel(deps: HostedDeps, place: Place, wanted: NewAlias): Promise<HostedModel> {
  const { project, by } = place;
  const alias = checkAlias(wanted.alias, deps.targets.models);
  const displayName = checkDisplayName(wanted.displayName ?? alias, 'display_name');
  const target = await findTarget(deps.targets, wanted.target, project.accountId);
  checkKind(target, project);
  const enabling = wanted.activate ? whatEnabling(deps, place, target) : null;
  return deps.database.transaction(async (tx) => {
    await place.lock(tx);
    const model = await insertAlias(tx, {
      projectId: project.id,
      alias,
      displayName,
      targetType: target.name.type,
      targetId: target.name.id,
      baseModelId: target.baseModel.id,
      revisionSha256: enabling?.sha256 ?? null,
      visibility: wanted.visibility,
      state: enabling?.state ?? 'inactive',
      rateMicroPerMinute: target.baseModel.rateMicroPerMinute,
      priceVersion: target.baseModel.priceVersion,
      activation: enabling?.activation ?? null,
      createdBy: by.actor,
    });
    await tellOfHosted(tx, { by, model }, { type: 'model.created', message: `The model "${alias}" was created.` });
    if (model.state === 'warming') await deps.activations.enqueue(tx, model.id);
    if (model.state === 'active') {
      await tellOfHosted(tx, { by, model }, { type: 'model.activated', message: `The model "${alias}" is active.` });
    }
    return model;
  });
}

/** A target of another kind than the project's cannot be put behind an alias of it. */
function checkKind({ kind }: HostedTarget, project: ProjectSeen): void {
  if (kind === project.kind) return;
  throw fault('kind_mismatch', {
    message: `This is a model of kind ${kind}; the project is of kind ${project.kind}.`,
    param: 'target',
  });
}

/** Throws `not_found`. */
export async function readHostedModel(deps: HostedDeps, { project }: Place, id: string): Promise<HostedModel> {
  const model = isId('hm', id) ? await findHostedModelById(deps.database, { id, projectId: project.id }) : null;
  if (!model) throw noSuchModel();
  return model;
}

export type HostedChange = {
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
  place: Place,
  { id, change }: { id: string; change: HostedChange },
): Promise<HostedModel> {
  const model = await readHostedModel(deps, place, id);
  const face = faceOf(model, change);
  if (change.target && !isTargetOf(model, change.target)) {
    const target = await findTarget(deps.targets, change.target, place.project.accountId);
    checkKind(target, place.project);
    return retarget(deps, place, { model, target, face, restoredFrom: null });
  }
  return deps.database.transaction(async (tx) => {
    await place.lock(tx);
    const changed = await updateFace(tx, { id: model.id, projectId: model.projectId, face });
    if (!changed) return model;
    const message = `The model "${changed.alias}" was changed.`;
    const data = { display_name: changed.displayName, visibility: changed.visibility };
    await tellOfHosted(tx, { by: place.by, model: changed }, { type: 'model.updated', message, data });
    return changed;
  });
}

export function isTargetOf(model: HostedModel, target: TargetName): boolean {
  return model.targetType === target.type && model.targetId === target.id;
}

/** Answers at once with a model that is `active` or `warming`; the load check goes on in the background. */
export async function activateHostedModel(deps: HostedDeps, place: Place, id: string): Promise<HostedModel> {
  return enable(deps, place, await readHostedModel(deps, place, id));
}

/** Calls by this name are refused from now on; those that run finish. */
export async function deactivateHostedModel(deps: HostedDeps, place: Place, id: string): Promise<HostedModel> {
  const seen = await readHostedModel(deps, place, id);
  return deps.database.transaction(async (tx) => {
    await place.lock(tx);
    const model = await disableHosted(tx, seen);
    if (!model) return { ...seen, state: 'inactive', error: null };
    const message = `The model "${model.alias}" was deactivated.`;
    await tellOfHosted(tx, { by: place.by, model }, { type: 'model.deactivated', message });
    return model;
  });
}

function noSuchModel() {
  return fault('not_found', { message: 'There is no such hosted model.' });
}
