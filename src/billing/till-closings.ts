import type { Database } from '#db';
import type { Clock, Log } from '#kernel';
import { createAccountBatcher } from './account-batcher.ts';
import { runIsolated, unwrap } from './isolation.ts';
import { type LockedAccounts, lockMs } from './locked-accounts.ts';
import type { OpenTills, Till } from './open-tills.ts';
import { closeTills } from './tills.store.ts';

type TillClosingsOptions = {
  database: Database;
  instanceId: string;
  clock: Clock;
  log: Log | undefined;
  locked: LockedAccounts;
};

const patience = { timeoutMs: 4_000, lockMs };

/** Closes tills, which gives the calls that draw on them holds of their own. */
export function createTillClosings(options: TillClosingsOptions, open: OpenTills) {
  const { database, instanceId, clock, log, locked } = options;
  const ofAccount = new Map<string, Promise<void>>();
  const ofCall = new Map<string, Promise<void>>();

  const batch = createAccountBatcher({
    ...{ name: 'billing.close_till', locked, clock },
    accountOf: ({ accountId }) => accountId,
    run: (tills: readonly Till[]) =>
      runIsolated(tills, {
        run: async (part) => {
          const calls = part.flatMap(({ accountId, calls }) =>
            [...calls].map(([requestId, { micro }]) => ({ requestId, accountId, micro })),
          );
          await closeTills(database, instanceId, { tillIds: part.map(({ id }) => id), calls, ...patience });
          return part;
        },
      }),
  });

  async function replaceByHolds(till: Till): Promise<void> {
    try {
      unwrap(await batch.submit(till));
    } catch (error) {
      // The till stays in the database until the next sweep of holds; its calls settle as calls without a hold.
      log?.warn({ err: error, account: till.accountId }, 'a till could not be closed');
    }
  }

  function begin(till: Till): Promise<void> {
    const ended = replaceByHolds(till).finally(() => end(till));
    ofAccount.set(till.accountId, ended);
    for (const requestId of till.calls.keys()) ofCall.set(requestId, ended);
    return ended;
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
      await Promise.all(tills.map(begin));
    },

    /** Resolves when none is in flight any more. */
    async settled(): Promise<void> {
      await Promise.all(ofAccount.values());
    },
  };
}
