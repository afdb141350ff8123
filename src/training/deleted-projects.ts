import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import type { ProjectRemovalStep } from '#projects';
import {
  deleteCheckpoint,
  deleteJob,
  deleteLogsOf,
  deleteMetricsOf,
  listAttemptsOf,
  listNotedCheckpoints,
  listSettledJobs,
} from './deleted-projects.store.ts';
import { artifactKeys } from './jobs/job.ts';
import { checkpointKey } from './supervise/attempt-folder.ts';

const jobsAtOnce = 20;
const checkpointsAtOnce = 20;
const rowsAtOnce = 2_000;

export type JobRemovalDeps = { database: Database; objects: Pick<ObjectStore, 'remove'> };

/** Removes the training jobs of a deleted project. Frozen data sets go as others that no job needs. */
export function removeJobsOf(deps: JobRemovalDeps): ProjectRemovalStep {
  return async ({ id }, run) => {
    let afterId = '';
    await run.repeat(async () => {
      const jobs = await listSettledJobs(deps.database, id, afterId, jobsAtOnce);
      for (const jobId of jobs) await removeJob(deps, jobId, run);
      afterId = jobs.at(-1) ?? afterId;
      return jobs.length;
    });
  };
}

/** Objects before the rows that name them: after a crash they are found again. */
async function removeJob(
  { database, objects }: JobRemovalDeps,
  jobId: string,
  { repeat }: Parameters<ProjectRemovalStep>[1],
): Promise<void> {
  for (const attempt of await listAttemptsOf(database, jobId))
    for (const key of Object.values(artifactKeys(attempt))) await objects.remove(key);
  await repeat(async () => {
    const checkpoints = await listNotedCheckpoints(database, jobId, checkpointsAtOnce);
    for (const { files, ...checkpoint } of checkpoints) {
      for (const file of files) await objects.remove(checkpointKey(checkpoint, checkpoint.name, file));
      await deleteCheckpoint(database, checkpoint);
    }
    return checkpoints.length;
  });
  await repeat(() => deleteLogsOf(database, jobId, rowsAtOnce));
  await repeat(() => deleteMetricsOf(database, jobId, rowsAtOnce));
  await database.transaction((tx) => deleteJob(tx, jobId));
}
