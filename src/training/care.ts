import type { Database } from '#db';
import { createRounds, type Log } from '#kernel';
import type { ObjectStore } from '#objects';
import { removeCheckpoints, removeFailedSaves, removeSnapshots } from './leftovers.ts';
import type { Deployments } from './supervise/deployments.ts';
import { sweepFolders } from './supervise/old-folders.ts';

/** What is done about jobs that are over from time to time, on any replica: it can be done twice and at once. */
export type Care = {
  start: () => void;
  /** Does all of it now. Rejects never. */
  tend: () => Promise<void>;
  stop: () => Promise<void>;
};

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

const everyMs = 60_000;

export function createCare(options: CareOptions): Care {
  const { database, root, deployments, log } = options;
  let isStopped = false;
  const leftovers = { ...options, isStopped: () => isStopped };
  // Each on its own: one that fails, or takes its time, must not keep the others from their turn.
  const duties = {
    deployments: () => deployments.deployDue(),
    folders: () => sweepFolders(database, root, Date.now()),
    checkpoints: () => removeCheckpoints(leftovers),
    'failed saves': () => removeFailedSaves(leftovers),
    snapshots: () => removeSnapshots(leftovers),
  };
  const troubleWith = (duty: string) => (err: unknown) => log.warn({ err, duty }, 'no sweep of training jobs');
  const rounds = Object.entries(duties).map(([duty, work]) =>
    createRounds({ pauseMs: everyMs, first: 'after a pause', work, onTrouble: troubleWith(duty) }),
  );

  return {
    async tend() {
      await Promise.all(Object.entries(duties).map(([duty, work]) => work().catch(troubleWith(duty))));
    },
    start() {
      for (const each of rounds) each.start();
    },
    async stop() {
      isStopped = true;
      await Promise.all(rounds.map((each) => each.stop()));
    },
  };
}
