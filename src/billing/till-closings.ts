import type { Database } from '#db';
import type { Log } from '#kernel';
import type { OpenTills, Till } from './open-tills.ts';
import { closeTills } from './tills.store.ts';

type TillClosingsOptions = { database: Database; instanceId: string; log: Log | undefined };

const timeoutMs = 4_000;

/** Closes tills, which gives the calls that draw on them holds of their own. */
export function createTillClosings({ database, instanceId, log }: TillClosingsOptions, open: OpenTills) {
  const ofAccount = new Map<string, Promise<void>>();
  const ofCall = new Map<string, Promise<void>>();

  async function replaceByHolds(tills: readonly Till[]): Promise<void> {
    const calls = tills.flatMap(({ accountId, calls }) =>
      [...calls].map(([requestId, { micro }]) => ({ requestId, accountId, micro })),
    );
    try {
      await closeTills(database, instanceId, { tillIds: tills.map(({ id }) => id), calls, timeoutMs });
    } catch (error) {
      // The till stays in the database until the next sweep of holds; its calls settle as calls without a hold.
      log?.warn({ err: error, tills: tills.length }, 'tills could not be closed');
    }
  }

  function begin(till: Till, ended: Promise<void>): void {
    ofAccount.set(till.accountId, ended);
    for (const requestId of till.calls.keys()) ofCall.set(requestId, ended);
  }

  function end({ accountId, calls }: Till): void {
    ofAccount.delete(accountId);
    for (const requestId of calls.keys()) ofCall.delete(requestId);
  }

  return {
    of: (accountId: string): Promise<void> | undefined => ofAccount.get(accountId),

    ofCall: (requestId: string): Promise<void> | undefined => ofCall.get(requestId),

    async close(tills: readonly Till[]): Promise<void> {
      tills.forEach(open.remove);
      const ended = replaceByHolds(tills).finally(() => tills.forEach(end));
      for (const till of tills) begin(till, ended);
      await ended;
    },

    /** Resolves when none is under way any more. */
    async settled(): Promise<void> {
      await Promise.all(ofAccount.values());
    },
  };
}
