import type { Database } from '#db';
import type { ProjectRemovalStep } from '#projects';
import { deleteResponsesIn, deleteSavedCallExamplesIn, deleteSavedCallsIn } from './deleted-projects.store.ts';

/** Small: a row may hold a megabyte, and calls are waiting. */
const rowsAtOnce = 200;
const namesAtOnce = 2_000;

/** Removes saved calls and stored responses of a deleted project. */
export function removeStoredCallsOf(database: Database): ProjectRemovalStep {
  return async ({ id }, { repeat }) => {
    await repeat(() => deleteSavedCallsIn(database, id, rowsAtOnce));
    await repeat(() => deleteSavedCallExamplesIn(database, id, namesAtOnce));
    await repeat(() => deleteResponsesIn(database, id, rowsAtOnce));
  };
}
