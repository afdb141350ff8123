import { type CursorCodec, checkDisplayName, fault, type ListPage, type PageRequest } from '#kernel';
import type { HostedDeps } from './hosted-activation.ts';
import {
  type AliasRevision,
  type DisplayChange,
  findRevision,
  listRevisions,
  switchHosted,
} from './hosted-changes.store.ts';
import { checkLoad } from './hosted-load-check.ts';
import { findHostedModelById, type HostedModel, searchTextOf } from './hosted-models.store.ts';
import { changedMeanwhile, type HostedScope, readHostedModel, recordHostedActivity } from './hosted-scope.ts';
import { findTarget, type HostedTarget, type TargetName } from './hosted-target.ts';
import { projectKindOf } from './model-kinds.ts';

/** A longer load is not waited for: it goes on, and the caller comes back. Less than clients wait. */
const maxWaitMs = 50_000;

type Retarget = {
  model: HostedModel;
  target: HostedTarget;
  display: DisplayChange;
  restoredFrom: number | null;
};

/**
 * Puts another target behind an alias, as a new revision at the current rate. Behind an active alias it is loaded
 * first: when that fails nothing changes, and calls never notice the switch. Throws `state_conflict`, `model_warming`.
 */
export async function retarget(deps: HostedDeps, scope: HostedScope, input: Retarget): Promise<HostedModel> {
  const { model, target, display, restoredFrom } = input;
  if (model.state === 'warming') {
    throw fault('state_conflict', {
      message: 'This model is being activated. Wait for that, or deactivate it, before its target changes.',
      details: { state: 'warming', allowed_from: ['inactive', 'active', 'failed'] },
    });
  }
  if (model.state === 'active') await loadFirst(deps, target);
  const { rateMicroPerMinute, priceVersion } = target.baseModel;
  const changed = await deps.database.transaction(async (tx) => {
    await scope.lock(tx);
    const switched = await switchHosted(tx, {
      seen: model,
      display,
      target: {
        targetType: target.name.type,
        targetId: target.name.id,
        baseModelId: target.baseModel.id,
        sha256: model.state === 'active' ? target.sha256 : null,
        rateMicroPerMinute,
        priceVersion,
        restoredFrom,
        createdBy: scope.change.actor,
      },
    });
    if (switched) await recordHostedActivity(tx, scope.change, switched, activityOf(input));
    return switched;
  });
  if (!changed) throw changedMeanwhile(await findHostedModelById(deps.database, model));
  return changed;
}

async function loadFirst({ engine, clock }: HostedDeps, target: HostedTarget): Promise<void> {
  const signal = AbortSignal.timeout(maxWaitMs);
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

function activityOf({ model, target, restoredFrom }: Retarget) {
  const { id, type } = target.name;
  const from = { type: model.targetType, id: model.targetId };
  if (restoredFrom === null) {
    const message = `The model "${model.alias}" stands for ${id} now.`;
    return { type: 'model.target_changed', message, data: { from, to: { type, id } } } as const;
  }
  const message = `The model "${model.alias}" was rolled back to revision ${restoredFrom}.`;
  return { type: 'model.rolled_back', message, data: { from, to: { type, id }, restored_from: restoredFrom } } as const;
}

/** Throws `invalid_request` for a bad name. */
export function displayChangeOf(
  model: HostedModel,
  { displayName, visibility }: Omit<DisplayChange, 'searchText'>,
): DisplayChange {
  const name = displayName === null ? null : checkDisplayName(displayName, 'display_name');
  const searchText = name === null ? null : searchTextOf({ alias: model.alias, displayName: name });
  return { displayName: name, visibility, searchText };
}

const sameDisplay: DisplayChange = { displayName: null, visibility: null, searchText: null };

export function isTargetOf(model: HostedModel, target: TargetName): boolean {
  return model.targetType === target.type && model.targetId === target.id;
}

type RevisionPage = ListPage<AliasRevision> & {
  current: number;
};

/** Newest first, one row more than `limit` when another page follows. Throws `not_found`, `invalid_cursor`. */
export async function pageOfRevisions(
  deps: HostedDeps & { cursors: CursorCodec },
  scope: HostedScope,
  { id, limit, cursor }: PageRequest & { id: string },
): Promise<RevisionPage> {
  const model = await readHostedModel(deps.database, scope, id);
  const cursorScope = ['hosted-model-revisions', model.id];
  const before = cursor === null ? null : Number(deps.cursors.decode(cursorScope, cursor)[0]);
  const page = await listRevisions(deps.database, { hostedModelId: model.id, before, limit: limit + 1 });
  const cursorOf = ({ revision }: AliasRevision) => deps.cursors.encode(cursorScope, [String(revision)]);
  return { ...page, limit, cursorOf, current: model.revision };
}

/**
 * Puts the target of an earlier revision behind the alias again, as a new revision: numbers only count up, so that what a
 * ledger row says of a revision stays true. Rolling back to the present target changes nothing.
 */
export async function rollBack(
  deps: HostedDeps,
  scope: HostedScope,
  { id, revision }: { id: string; revision: number },
): Promise<HostedModel> {
  const model = await readHostedModel(deps.database, scope, id);
  const earlier = await findRevision(deps.database, model.id, revision);
  if (!earlier) {
    throw fault('invalid_request', {
      message: `revision: this model has revisions 1 to ${model.revision}.`,
      param: 'revision',
    });
  }
  const name = { type: earlier.targetType, id: earlier.targetId };
  if (isTargetOf(model, name)) return model;
  const target = await findTarget(deps.targets, name, scope.project.accountId);
  if (projectKindOf(target.kind) !== scope.project.kind) throw fault('kind_mismatch', { param: 'revision' });
  return retarget(deps, scope, { model, target, display: sameDisplay, restoredFrom: revision });
}
