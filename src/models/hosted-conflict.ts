import { fault } from '#kernel';
import type { HostedModel } from './hosted-models.store.ts';

/** Somebody else was faster; nothing was changed here. */
export function changedMeanwhile(now: HostedModel | null) {
  return fault('state_conflict', {
    message: 'This model was changed by another request meanwhile. Look at it again.',
    details: { reason: 'changed_meanwhile', state: now?.state ?? null, revision: now?.revision ?? null },
  });
}

/** A base model is what every project has; it is not the project's to change. */
export function isBaseEntry(action: string) {
  return fault('state_conflict', {
    message: `This is a base model, which every project has; it cannot be ${action}. Make an alias for it.`,
    details: { reason: 'base_model', state: 'base', allowed_from: ['alias'] },
  });
}
