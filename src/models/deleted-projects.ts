import type { Database } from '#db';
import type { ProjectRemovalStep } from '#projects';
import { deleteHostedModelsIn, deleteRevisionsIn, deleteSharesIn } from './deleted-projects.store.ts';

const rowsAtOnce = 500;

/** Removes the hosted models of a deleted project, with their revisions and shares. */
export function removeHostedModelsOf(database: Database): ProjectRemovalStep {
  return async ({ id }, { repeat }) => {
    await repeat(() => deleteSharesIn(database, id, rowsAtOnce));
    await repeat(() => deleteRevisionsIn(database, id, rowsAtOnce));
    await repeat(() => deleteHostedModelsIn(database, id, rowsAtOnce));
  };
}
