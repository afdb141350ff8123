import type { Database, Sql } from '#db';
import type { ProjectRemovalStep } from '#projects';
import {
  deleteResponsesIn,
  deleteResponsesOf,
  deleteSavedCallExamplesIn,
  deleteSavedCallsIn,
} from './deleted-projects.store.ts';

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

/** Removes the stored responses of a deleted account, also those in projects of others. */
export async function removeResponsesOf(sql: Sql, accountId: string): Promise<void> {
  let removed = 0;
  do removed = await deleteResponsesOf(sql, accountId, rowsAtOnce);
  while (removed > 0);
}
