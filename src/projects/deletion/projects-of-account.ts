import type { Database } from '#db';
import { Fault } from '#kernel';
import { listProjectsOf, type ProjectSeen } from '../access.store.ts';
import type { CancelableWork } from '../running-work.ts';
import { deleteProject } from './delete-project.ts';

/**
 * Deletes the archived projects of a deleted account: cancels what runs in them, and deletes those in which nothing runs any more.
 * How many are left for later.
 */
export async function deleteProjectsOf(
  database: Database,
  { accountId, work }: { accountId: string; work: readonly CancelableWork[] },
): Promise<number> {
  let left = 0;
  for (const project of await listProjectsOf(database, accountId)) {
    for (const { cancelAll } of work) await cancelAll(project);
    if (!(await deleteIfIdle(database, project, work))) left += 1;
  }
  return left;
}

async function deleteIfIdle(database: Database, seen: ProjectSeen, work: readonly CancelableWork[]): Promise<boolean> {
  try {
    await database.transaction((tx) => deleteProject(tx, { seen, author: {}, work }));
    return true;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Another server was quicker.
    if (error.fault === 'not_found') return true;
    if (error.fault === 'in_use') return false;
    throw error;
  }
}
