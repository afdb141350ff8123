import type { Database } from '#db';
import { createRounds } from '#kernel';
import type { ObjectStore } from '#objects';
import { listOldCheckpoints } from './care.store.ts';
import { checkpointKey } from './supervise/attempt-folder.ts';
import type { Deployments } from './supervise/deployments.ts';
import { sweepFolders } from './supervise/old-folders.ts';
import { noteCheckpointRemoved } from './supervise/take-in.store.ts';

/** What is done about jobs that are over from time to time, on any replica: it can be done twice and at once. */
export type Care = { start: () => void; tend: () => Promise<void>; stop: () => Promise<void> };

export type CareOptions = {
  database: Database;
  objects: ObjectStore;
  /** Checkpoints of jobs that have not succeeded are kept for so long. */
  keptDays: number;
  /** Attempts have their folders in here. */
  root: string;
  deployments: Pick<Deployments, 'deployDue'>;
  log: { warn: (details: object, message: string) => void };
};

const everyMs = 60_000;
const atOnce = 100;

export function createCare({ database, objects, keptDays, root, deployments, log }: CareOptions): Care {
  let stopped = false;

  async function tend(): Promise<void> {
    await deployments.deployDue();
    await sweepFolders(database, root, Date.now());
    await removeOldCheckpoints();
  }

  async function removeOldCheckpoints(): Promise<void> {
    for (let found = atOnce; found === atOnce && !stopped; ) {
      const old = await listOldCheckpoints(database, { keptDays, limit: atOnce });
      for (const { name, files, ...attempt } of old) {
        // The objects first: as long as their names are known, somebody can remove them.
        for (const file of files) await objects.remove(checkpointKey(attempt, name, file));
        await noteCheckpointRemoved(database, attempt, name);
      }
      found = old.length;
    }
  }

  const rounds = createRounds({
    pauseMs: everyMs,
    first: 'after a pause',
    work: tend,
    onTrouble: (err) => log.warn({ err }, 'no sweep of training jobs'),
  });

  return {
    tend,
    start: rounds.start,
    async stop() {
      stopped = true;
      await rounds.stop();
    },
  };
}
