import type { Database } from '#db';
import type { ObjectStore } from '#objects';
import {
  forgetSnapshot,
  listFailedSaves,
  listUselessCheckpoints,
  lockUselessSnapshot,
  noteArtifacts,
  retireCheckpoints,
} from './leftovers.store.ts';
import { removeSnapshot } from './prepare/stored-snapshot.ts';
import { artifactKeys } from './publish/artifacts.ts';
import { checkpointKey } from './supervise/attempt-folder.ts';
import { noteCheckpointRemoved } from './supervise/take-in.store.ts';

export type Leftovers = { database: Database; objects: ObjectStore; keptDays: number; isStopped: () => boolean };

const atOnce = 100;

/*
 * Objects that nobody needs any more. Each is removed before it is forgotten: as long as it is known, somebody can remove it. All of
 * this can be done twice and at once.
 */

export async function removeCheckpoints({ database, objects, keptDays, isStopped }: Leftovers): Promise<void> {
  await retireCheckpoints(database, keptDays);
  for (let found = atOnce; found === atOnce && !isStopped(); ) {
    const useless = await listUselessCheckpoints(database, atOnce);
    for (const { name, files, ...attempt } of useless) {
      for (const file of files) await objects.remove(checkpointKey(attempt, name, file));
      await noteCheckpointRemoved(database, attempt, name);
    }
    found = useless.length;
  }
}

/** What attempts have saved, or begun to save, that did not succeed. */
export async function removeFailedSaves({ database, objects, isStopped }: Leftovers): Promise<void> {
  for (let found = atOnce; found === atOnce && !isStopped(); ) {
    const attempts = await listFailedSaves(database, atOnce);
    for (const attempt of attempts) {
      for (const key of Object.values(artifactKeys(attempt))) await objects.remove(key);
      await noteArtifacts(database, attempt, false);
    }
    found = attempts.length;
  }
}

/** What jobs have learned from; whoever tries one again much later makes it anew. */
export async function removeSnapshots({ database, objects, keptDays, isStopped }: Leftovers): Promise<void> {
  for (let isMore = true; isMore && !isStopped(); ) {
    isMore = await database.transaction(async (tx) => {
      const sha256 = await lockUselessSnapshot(tx, keptDays);
      if (sha256 === null) return false;
      await removeSnapshot(objects, sha256);
      await forgetSnapshot(tx, sha256);
      return true;
    });
  }
}
