import type { Database } from '#db';
import { deleteAnswersIn } from './deleted-projects.store.ts';

const answersAtOnce = 200;

/** Removes stored answers of the owner's calls in a deleted project. Those of others belong to them, and go within a day. */
export function removeAnswersOf(database: Database) {
  return async (
    { id, accountId }: { id: string; accountId: string },
    { repeat }: { repeat: (work: () => Promise<number>) => Promise<void> },
  ): Promise<void> => {
    await repeat(() => deleteAnswersIn(database, { projectId: id, accountId, limit: answersAtOnce }));
  };
}
