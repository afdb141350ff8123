import type { Sql } from '#db';
import { fault } from '#kernel';
import type { ProjectSeen } from './access.store.ts';

/**
 * Work of another room that runs in a project and keeps it from being archived or deleted. It counts in the transaction that
 * does so, where no change of the project is in flight: what starts work calls `changeOwnProject` in its transaction.
 */
export type RunningWork = {
  /** Plural, as in paths: `training_jobs`. */
  kind: string;
  countRunning: (tx: Sql, projectId: string) => Promise<number>;
};

/** Work that is cancelled when the account is deleted. Each piece is a transaction of its own: it charges the account. */
export type CancelableWork = RunningWork & {
  /** Cancels what can be cancelled now; what cannot be ends by itself. It may be done again. */
  cancelAll: (project: ProjectSeen) => Promise<void>;
};

export async function refuseWhileRunning(
  tx: Sql,
  { projectId, work, advice }: { projectId: string; work: readonly RunningWork[]; advice: string },
): Promise<void> {
  const running: { kind: string; count: number }[] = [];
  for (const { kind, countRunning } of work) {
    const count = await countRunning(tx, projectId);
    if (count > 0) running.push({ kind, count });
  }
  if (running.length === 0) return;
  const list = running.map(({ kind, count }) => `${kind.replaceAll('_', ' ')} (${count})`).join(', ');
  throw fault('in_use', { message: `The project has running work: ${list}. ${advice}`, details: { running } });
}
