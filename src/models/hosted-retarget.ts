import { checkDisplayName, fault } from '#kernel';
import { tellOfHosted } from './hosted-activity.ts';
import { type Face, switchHosted } from './hosted-changes.store.ts';
import { changedMeanwhile } from './hosted-conflict.ts';
import type { HostedDeps } from './hosted-deps.ts';
import { checkLoad } from './hosted-load-check.ts';
import { findHostedModelById, type HostedModel, searchTextOf } from './hosted-models.store.ts';
import type { Place } from './hosted-place.ts';
import type { HostedTarget } from './hosted-target.ts';

/** A load that takes longer is not waited for: it goes on, and the caller comes back. Less than clients wait. */
const longestWaitMs = 50_000;

export type Retarget = {
  model: HostedModel;
  target: HostedTarget;
  face: Face;
  /** The revision that a rollback goes back to. */
  restoredFrom: number | null;
};

/**
 * Puts another target behind an alias, as a new revision at the rate of this moment. Behind an active alias it is loaded
 * first: when that fails nothing changes, and calls never notice the switch. Throws `state_conflict`, `model_warming`.
 */
export async function retarget(deps: HostedDeps, place: Place, wanted: Retarget): Promise<HostedModel> {
  const { model, target, face, restoredFrom } = wanted;
  if (model.state === 'warming') {
    throw fault('state_conflict', {
      message: 'This model is being activated. Wait for that, or deactivate it, before its target changes.',
      details: { state: 'warming', allowed_from: ['inactive', 'active', 'failed'] },
    });
  }
  if (model.state === 'active') await loadFirst(deps, target);
  const { rateMicroPerMinute, priceVersion } = target.baseModel;
  const changed = await deps.database.transaction(async (tx) => {
    await place.lock(tx);
    const switched = await switchHosted(tx, {
      id: model.id,
      projectId: model.projectId,
      seen: model,
      face,
      target: {
        targetType: target.name.type,
        targetId: target.name.id,
        baseModelId: target.baseModel.id,
        sha256: model.state === 'active' ? target.sha256 : null,
        rateMicroPerMinute,
        priceVersion,
        restoredFrom,
        createdBy: place.by.actor,
      },
    });
    if (switched) await tellOfHosted(tx, { by: place.by, model: switched }, happeningOf(wanted));
    return switched;
  });
  if (!changed) throw changedMeanwhile(await findHostedModelById(deps.database, model));
  return changed;
}

async function loadFirst({ engine, clock }: HostedDeps, target: HostedTarget): Promise<void> {
  const signal = AbortSignal.timeout(longestWaitMs);
  const failure = await checkLoad({ engine, clock, target, signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
    throw fault('model_warming', {
      message: 'The new target is still loading; nothing has changed. Send the request again in a while.',
      retryAfterSeconds: 10,
    });
  });
  if (failure === null) return;
  throw fault('state_conflict', {
    message: `The new target cannot be loaded, so the present one stays active. ${failure.message}`,
    param: 'target',
    details: { reason: 'load_failed', error: failure, state: 'active' },
  });
}

function happeningOf({ model, target, restoredFrom }: Retarget) {
  const { id, type } = target.name;
  const from = { type: model.targetType, id: model.targetId };
  if (restoredFrom === null) {
    const message = `The model "${model.alias}" stands for ${id} now.`;
    return { type: 'model.target_changed', message, data: { from, to: { type, id } } } as const;
  }
  const message = `The model "${model.alias}" was rolled back to revision ${restoredFrom}.`;
  return { type: 'model.rolled_back', message, data: { from, to: { type, id }, restored_from: restoredFrom } } as const;
}

/** What a change says about the face of a model. Throws `invalid_request` for a bad name. */
export function faceOf(model: HostedModel, { displayName, visibility }: Omit<Face, 'searchText'>): Face {
  const name = displayName === null ? null : checkDisplayName(displayName, 'display_name');
  const searchText = name === null ? null : searchTextOf({ alias: model.alias, displayName: name });
  return { displayName: name, visibility, searchText };
}

/** A change of the target only. */
export const sameFace: Face = { displayName: null, visibility: null, searchText: null };
