import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '#db';
import { createIntervalTasks, type IntervalTasks, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { artifactKeys } from './jobs/job.ts';
import {
  listFailedSaves,
  listFinishedAttempts,
  listUnknownJobs,
  lockUnusedSnapshot,
  noteArtifacts,
  removeSnapshotRow,
} from './maintenance.store.ts';
import { removeSnapshot } from './prepare/snapshot.ts';
import type { Runner } from './runners/runner.ts';
import { attemptFolder, checkpointKey, draftsName, removeAttempt } from './supervise/attempt-folder.ts';
import { listUnusedCheckpoints, noteCheckpointRemoved, retireCheckpoints } from './supervise/checkpoints.store.ts';

export type TrainingMaintenanceDeps = {
  database: Database;
  objects: ObjectStore;
  /** Checkpoints and data of jobs that have not succeeded are kept for so long. */
  checkpointDays: number;
  root: string;
  deployDue: () => Promise<void>;
  runner: Pick<Runner, 'sweep'>;
  log: Pick<Log, 'warn'>;
};

/** What remains of jobs that are over is removed; all tasks may run twice and at the same time. */
export function createTrainingMaintenance(deps: TrainingMaintenanceDeps): IntervalTasks {
  return createIntervalTasks({
    tasks: {
      deployments: deps.deployDue,
      folders: () => removeOldFolders(deps, Date.now()),
      checkpoints: (isStopped) => removeCheckpoints(deps, isStopped),
      'failed saves': (isStopped) => removeFailedSaves(deps, isStopped),
      snapshots: (isStopped) => removeSnapshots(deps, isStopped),
      runs: async () =>
        deps.runner.sweep?.((attempts) =>
          listFinishedAttempts(
            deps.database,
            attempts.map(({ jobId }) => jobId),
          ),
        ),
    },
    pauseMs: 60_000,
    onError: (err, task) => deps.log.warn({ err, task }, 'training maintenance failed'),
  });
}

const batchSize = 100;

/*
 * Objects that nobody needs any more. Each is removed before its row is: as long as there is a row, somebody can remove it.
 */

async function removeCheckpoints(
  { database, objects, checkpointDays }: TrainingMaintenanceDeps,
  isStopped: () => boolean,
): Promise<void> {
  await retireCheckpoints(database, checkpointDays);
  for (let found = batchSize; found === batchSize && !isStopped(); ) {
    const unused = await listUnusedCheckpoints(database, batchSize);
    for (const { name, files, ...attempt } of unused) {
      for (const file of files) await objects.remove(checkpointKey(attempt, name, file));
      await noteCheckpointRemoved(database, attempt, name);
    }
    found = unused.length;
  }
}

async function removeFailedSaves(
  { database, objects }: TrainingMaintenanceDeps,
  isStopped: () => boolean,
): Promise<void> {
  for (let found = batchSize; found === batchSize && !isStopped(); ) {
    const attempts = await listFailedSaves(database, batchSize);
    for (const attempt of attempts) {
      for (const key of Object.values(artifactKeys(attempt))) await objects.remove(key);
      await noteArtifacts(database, attempt, false);
    }
    found = attempts.length;
  }
}

async function removeSnapshots(
  { database, objects, checkpointDays }: TrainingMaintenanceDeps,
  isStopped: () => boolean,
): Promise<void> {
  for (let isMore = true; isMore && !isStopped(); ) {
    isMore = await database.transaction(async (tx) => {
      const sha256 = await lockUnusedSnapshot(tx, checkpointDays);
      if (sha256 === null) return false;
      await removeSnapshot(objects, sha256);
      await removeSnapshotRow(tx, sha256);
      return true;
    });
  }
}

const dayMs = 86_400_000;

/** Folders of attempts that are over, of jobs that are gone, and drafts that nobody has written to for a day, as dead servers leave them on this machine. */
async function removeOldFolders({ database, root }: TrainingMaintenanceDeps, nowMs: number): Promise<void> {
  const names = await readdir(root).catch(() => []);
  const jobIds = names.filter((name) => name !== draftsName);
  // Processes of an attempt that is over end within minutes. Folders are removed by attempt, because the job may have
  // another one that runs.
  const finished = jobIds.length > 0 ? await listFinishedAttempts(database, jobIds) : [];
  for (const attempt of finished) await removeAttempt(attemptFolder(root, attempt));
  // Of jobs that were deleted with their project.
  for (const jobId of jobIds.length > 0 ? await listUnknownJobs(database, jobIds) : [])
    if (nowMs - (await lastChange(join(root, jobId))) > dayMs)
      await rm(join(root, jobId), { recursive: true, force: true });
  const drafts = join(root, draftsName);
  for (const name of await readdir(drafts).catch(() => [])) {
    if (nowMs - (await lastChange(join(drafts, name))) > dayMs)
      await rm(join(drafts, name), { recursive: true, force: true });
  }
}

async function lastChange(folder: string): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const times = await Promise.all(
    [folder, ...names.map((name) => join(folder, name))].map((path) => stat(path).catch(() => null)),
  );
  return Math.max(0, ...times.map((each) => each?.mtimeMs ?? 0));
}
