import type { Database } from '#db';
import { createDuties, type Duties, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { removeCheckpoints, removeFailedSaves, removeSnapshots } from './leftovers.ts';
import type { Deployments } from './supervise/deployments.ts';
import { sweepFolders } from './supervise/old-folders.ts';

export type CareOptions = {
  database: Database;
  objects: ObjectStore;
  /** Checkpoints and data of jobs that have not succeeded are kept for so long. */
  keptDays: number;
  /** Attempts have their folders in here. */
  root: string;
  deployments: Pick<Deployments, 'deployDue'>;
  log: Pick<Log, 'warn'>;
};

/** What is done about jobs that are over: it can be done twice and at once. */
export function createCare(options: CareOptions): Duties {
  const { database, root, deployments, log } = options;
  return createDuties({
    duties: {
      deployments: () => deployments.deployDue(),
      folders: () => sweepFolders(database, root, Date.now()),
      checkpoints: (isStopped) => removeCheckpoints({ ...options, isStopped }),
      'failed saves': (isStopped) => removeFailedSaves({ ...options, isStopped }),
      snapshots: (isStopped) => removeSnapshots({ ...options, isStopped }),
    },
    pauseMs: 60_000,
    onTrouble: (err, duty) => log.warn({ err, duty }, 'no sweep of training jobs'),
  });
}
