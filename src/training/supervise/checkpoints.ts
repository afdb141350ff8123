import type { TrainingJob } from '../jobs/job.ts';
import {
  checkpointKey,
  listCheckpointFiles,
  listCheckpoints,
  restoreCheckpoint,
  storeCheckpoint,
} from './attempt-folder.ts';
import type { Hold, WorkerDeps } from './hold.ts';
import {
  listStoredCheckpoints,
  listSurplusCheckpoints,
  noteCheckpointFiles,
  noteCheckpointRemoved,
  noteCheckpointStored,
} from './take-in.store.ts';

const mostStored = 2;

export type CheckpointKeeper = {
  /** Copies a checkpoint into the object store while the training goes on. */
  keep: (name: string) => void;
  /** Waits for the copies. Rejects never. */
  kept: () => Promise<void>;
  /** The checkpoint to go on from, which is in the attempt's folder then; null: from the beginning. */
  resumePoint: (job: TrainingJob) => Promise<string | null>;
};

/** Checkpoints of an attempt, so that another machine, or a later attempt, can go on from them. */
export function createCheckpointKeeper(
  { database, objects, log }: Pick<WorkerDeps, 'database' | 'objects' | 'log'>,
  { held, folder, lease }: Pick<Hold, 'held' | 'folder' | 'lease'>,
): CheckpointKeeper {
  let copying = Promise.resolve();

  async function copy(name: string): Promise<void> {
    // Another worker may store its own by now, under the same name.
    if (lease.signal.aborted) return;
    const files = await listCheckpointFiles(folder, name);
    // First: whatever becomes of this process, what it has put there can be found.
    if (files.length === 0 || !(await noteCheckpointFiles(database, held, name, files))) return;
    if (await storeCheckpoint(objects, folder, { ...held, name, files, signal: lease.signal }))
      await noteCheckpointStored(database, held, name);
    for (const each of await listSurplusCheckpoints(database, held, mostStored)) {
      for (const file of each.files) await objects.remove(checkpointKey(held, each.name, file));
      await noteCheckpointRemoved(database, held, each.name);
    }
  }

  return {
    keep(name) {
      copying = copying
        .then(() => copy(name))
        .catch((err) => log.warn({ err, job: held.jobId, name }, 'a checkpoint was not copied'));
    },
    kept: () => copying,
    async resumePoint({ id, attempt, resumedFrom }) {
      const [newest] = (await listCheckpoints(folder)).slice(-1);
      if (newest !== undefined) return newest;
      const stored = await listStoredCheckpoints(database, id);
      const own = stored.find((each) => each.attempt === attempt);
      const wanted =
        own ?? stored.find((each) => each.attempt === resumedFrom?.attempt && each.name === resumedFrom.name);
      if (!wanted) return null;
      const { attempt: from, name, files } = wanted;
      await restoreCheckpoint(objects, folder, { jobId: id, attempt: from, name, files });
      return name;
    },
  };
}
