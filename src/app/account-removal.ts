import { type AccountParts, createAccountRemoval } from '#accounts';
import { removeResponsesOf } from '#inference';
import { deleteKeysOf } from '#keys';
import { deleteSharesOf } from '#models';
import { archiveProjectsOf, type CancelableWork, deleteProjectsOf } from '#projects';
import type { Infrastructure } from './infrastructure.ts';

/** What each room does when an account is deleted: at once, and in the background. */
export function openAccountRemoval(
  { database, log }: Pick<Infrastructure, 'database' | 'log'>,
  work: readonly CancelableWork[],
) {
  const parts: AccountParts = {
    closeProjects: archiveProjectsOf,
    deleteAccess: async (tx, accountId) => {
      await deleteKeysOf(tx, accountId);
      await deleteSharesOf(tx, accountId);
    },
  };
  const removal = createAccountRemoval({
    database,
    log,
    parts,
    deleteProjects: (accountId) => deleteProjectsOf(database, { accountId, work }),
    deleteElsewhere: (accountId) => removeResponsesOf(database, accountId),
  });
  return { parts, removal };
}
