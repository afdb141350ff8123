import type { TrainingJob } from '../jobs/job.ts';
import {
  checkpointKey,
  listCheckpointFiles,
  listCheckpoints,
  restoreCheckpoint,
  storeCheckpoint,
} from './attempt-folder.ts';
import {
  listStoredCheckpoints,
  listSurplusCheckpoints,
  noteCheckpointFiles,
  noteCheckpointRemoved,
  noteCheckpointStored,
} from './checkpoints.store.ts';
import type { LeasedJob, WorkerDeps } from './lease.ts';

const maxStored = 2;

export type CheckpointUploads = {
  upload: (name: string) => void;
  /** Resolves when nothing is being copied. Rejects never. */
  settled: () => Promise<void>;
  /** The checkpoint to resume from, which is in the attempt's folder then; null: from the beginning. */
  resumePoint: (job: TrainingJob) => Promise<string | null>;
};

/** Checkpoints of an attempt, so that another machine, or a later attempt, can resume from them. */
export function createCheckpointUploads(
  { database, objects, log }: Pick<WorkerDeps, 'database' | 'objects' | 'log'>,
  { lease, folder, heartbeat }: Pick<LeasedJob, 'lease' | 'folder' | 'heartbeat'>,
): CheckpointUploads {
  const { signal } = heartbeat;
  let uploading = Promise.resolve();

  async function upload(name: string): Promise<void> {
    // Another worker may upload its own by now, under the same name.
    if (signal.aborted) return;
    const files = await listCheckpointFiles(folder, name);
    // First: whatever becomes of this process, what it has uploaded can be found.
    if (files.length === 0 || !(await noteCheckpointFiles(database, lease, name, files))) return;
    if (await storeCheckpoint(objects, folder, { ...lease, name, files, signal }))
      await noteCheckpointStored(database, lease, name);
    for (const each of await listSurplusCheckpoints(database, lease, maxStored)) {
      for (const file of each.files) await objects.remove(checkpointKey(lease, each.name, file));
      await noteCheckpointRemoved(database, lease, each.name);
    }
  }

  return {
    upload(name) {
      uploading = uploading
        .then(() => upload(name))
        .catch((err) => log.warn({ err, job: lease.jobId, name }, 'checkpoint upload failed'));
    },
    settled: () => uploading,
    async resumePoint({ id, attempt, resumedFrom }) {
      const newest = (await listCheckpoints(folder)).at(-1);
      if (newest !== undefined) return newest;
      const stored = await listStoredCheckpoints(database, id);
      const found =
        stored.find((each) => each.attempt === attempt) ??
        stored.find((each) => each.attempt === resumedFrom?.attempt && each.name === resumedFrom.name);
      if (!found) return null;
      const { attempt: from, name, files } = found;
      await restoreCheckpoint(objects, folder, { jobId: id, attempt: from, name, files });
      return name;
    },
  };
}
