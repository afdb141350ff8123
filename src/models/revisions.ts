import { type CursorCodec, fault, type ListPage, type PageRequest } from '#kernel';
import type { HostedDeps } from './hosted-deps.ts';
import type { HostedModel } from './hosted-models.store.ts';
import { isTargetOf, readHostedModel } from './hosted-models.ts';
import type { Place } from './hosted-place.ts';
import { retarget, sameFace } from './hosted-retarget.ts';
import { findTarget } from './hosted-target.ts';
import { findRevision, listRevisions, type Revision } from './revisions.store.ts';

export type RevisionPage = ListPage<Revision> & {
  /** The revision that is served. */
  current: number;
};

/** Newest first, one row more than `limit` when another page follows. Throws `not_found`, `invalid_cursor`. */
export async function pageOfRevisions(
  deps: HostedDeps & { cursors: CursorCodec },
  place: Place,
  { id, limit, cursor }: PageRequest & { id: string },
): Promise<RevisionPage> {
  const model = await readHostedModel(deps, place, id);
  const scope = ['hosted-model-revisions', model.id];
  const before = cursor === null ? null : Number(deps.cursors.decode(scope, cursor)[0]);
  const page = await listRevisions(deps.database, { hostedModelId: model.id, before, limit: limit + 1 });
  const cursorOf = ({ revision }: Revision) => deps.cursors.encode(scope, [String(revision)]);
  return { ...page, limit, cursorOf, current: model.revision };
}

/**
 * Puts the target of an earlier revision behind the alias again, as a new revision: numbers only count up, so that what a
 * ledger row says of a revision stays true. Going back to what is there changes nothing.
 */
export async function rollBack(
  deps: HostedDeps,
  place: Place,
  { id, revision }: { id: string; revision: number },
): Promise<HostedModel> {
  const model = await readHostedModel(deps, place, id);
  const earlier = await findRevision(deps.database, model.id, revision);
  if (!earlier) {
    throw fault('invalid_request', {
      message: `revision: this model has revisions 1 to ${model.revision}.`,
      param: 'revision',
    });
  }
  const name = { type: earlier.targetType, id: earlier.targetId };
  if (isTargetOf(model, name)) return model;
  const target = await findTarget(deps.targets, name, place.project.accountId);
  if (target.kind !== place.project.kind) throw fault('kind_mismatch', { param: 'revision' });
  return retarget(deps, place, { model, target, face: sameFace, restoredFrom: revision });
}
