import type { Database } from '#db';
import { createIntervalTask, type IntervalTask, type Log } from '#kernel';
import { type AccountParts, forgetPerson } from './delete-account.ts';
import { claimAccountRemoval, type DeletedAccount, postponeAccountRemoval } from './deletion.store.ts';

export type AccountRemovalOptions = {
  database: Database;
  log?: Pick<Log, 'warn'>;
  parts: AccountParts;
  /** Cancels what runs in its projects and deletes those in which nothing runs any more; how many are left. */
  deleteProjects: (accountId: string) => Promise<number>;
  /** What it has stored in projects of others. */
  deleteElsewhere: (accountId: string) => Promise<void>;
};

export type AccountRemoval = IntervalTask & {
  /** One round over all accounts whose removal is due. */
  runAll: () => Promise<void>;
};

const pauseMs = 2_000;
/** What is being cancelled ends within seconds. */
const retryMs = 2_000;
const quietPauseMs = 10_000;

/** Ends what deleted accounts left running, on every server that does background work; each takes an account of its own. */
export function createAccountRemoval({ database, log, ...rooms }: AccountRemovalOptions): AccountRemoval {
  let isStopped = false;
  const task = createIntervalTask({ pauseMs, first: 'at once', work: runAll, onError: report });

  function report(err: unknown): void {
    if (!isStopped) log?.warn({ err }, 'what a deleted account left is not removed yet');
  }

  async function runAll(): Promise<void> {
    while (!isStopped) {
      const account = await claimAccountRemoval(database);
      if (!account) return;
      await remove(account).catch(report);
    }
  }

  async function remove({ id, isQuiet }: DeletedAccount): Promise<void> {
    const left = await rooms.deleteProjects(id);
    if (left > 0) return postponeAccountRemoval(database, id, retryMs);
    await rooms.deleteElsewhere(id);
    // A request that was in flight may have written something since.
    await database.transaction((tx) => forgetPerson(tx, rooms.parts, id));
    await postponeAccountRemoval(database, id, isQuiet ? null : quietPauseMs);
  }

  return {
    start() {
      isStopped = false;
      task.start();
    },
    async stop() {
      isStopped = true;
      await task.stop();
    },
    runAll,
  };
}
