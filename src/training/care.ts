import type { Database } from '#db';
import { createDuties, type Duties, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import type { AttemptName } from './jobs/job.ts';
import { listOverAttempts } from './leftovers.store.ts';
import { removeCheckpoints, removeFailedSaves, removeSnapshots } from './leftovers.ts';
import type { Runner } from './runners/runner.ts';
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
  runner: Pick<Runner, 'sweep'>;
  log: Pick<Log, 'warn'>;
};

/** The clean-up after jobs that are over; all of it may run twice and at the same time. */
export function createCare(options: CareOptions): Duties {
  const { database, root, deployments, runner, log } = options;
  return createDuties({
    duties: {
      deployments: () => deployments.deployDue(),
      folders: () => sweepFolders(database, root, Date.now()),
      checkpoints: (isStopped) => removeCheckpoints({ ...options, isStopped }),
      'failed saves': (isStopped) => removeFailedSaves({ ...options, isStopped }),
      snapshots: (isStopped) => removeSnapshots({ ...options, isStopped }),
      runs: async () => runner.sweep?.((attempts) => listOver(database, attempts)),
    },
    pauseMs: 60_000,
    onTrouble: (err, duty) => log.warn({ err, duty }, 'no sweep of training jobs'),
  });
}

/** Those of these attempts that have been over for a while. */
function listOver(database: Database, attempts: readonly AttemptName[]): Promise<AttemptName[]> {
  return listOverAttempts(
    database,
    attempts.map(({ jobId }) => jobId),
  );
}
