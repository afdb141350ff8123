import type { Sql } from '#db';

/**
 * Work of another room that runs in a project and keeps it out of the archive. It counts in the transaction that
 * archives, where no change of the project is in flight: what starts work calls `changeOwnProject` in its transaction.
 */
export type RunningWork = {
  /** Plural, as in paths: `training_jobs`. */
  kind: string;
  countRunning: (tx: Sql, projectId: string) => Promise<number>;
};
