import type { Sql } from '#db';
import type { ProjectSeen } from '../access.store.ts';
import { type Author, recordProjectActivity } from '../project-activity.ts';
import { lockProject } from '../projects.store.ts';
import { type RunningWork, refuseWhileRunning } from '../running-work.ts';
import { markDeleted } from './deletion.store.ts';

export type Deletion = { seen: ProjectSeen; author: Author; work: readonly RunningWork[] };

/**
 * Deletes a project that its owner has been found to own, archived or not, in the transaction `tx` that also writes the feed.
 * It is gone when that commits; what is stored in it is removed in the background. Throws `in_use` while something runs.
 */
export async function deleteProject(tx: Sql, { seen, author, work }: Deletion): Promise<void> {
  const project = await lockProject(tx, seen.id);
  const advice = 'Wait until it has ended, or cancel it, and delete the project then.';
  await refuseWhileRunning(tx, { projectId: project.id, work, advice });
  await markDeleted(tx, project.id);
  await recordProjectActivity(
    tx,
    { project, ownerSlug: seen.ownerSlug, author },
    { type: 'project.deleted', message: `The project "${project.name}" was deleted.`, data: { kind: project.kind } },
  );
}
