import { type Database, isUnavailable } from '#db';
import type { Clock, Log } from '#kernel';
import { createAccountBatcher } from './account-batcher.ts';
import type { HoldRequest } from './holds.store.ts';
import { runIsolated, unwrap } from './isolation.ts';
import { type LockedAccounts, lockMs } from './locked-accounts.ts';
import type { OpenTills } from './open-tills.ts';
import { openTills, type TillOpening, tillIdOf } from './tills.store.ts';

export type TillOpeningsOptions = {
  database: Database;
  instanceId: string;
  clock: Clock;
  log: Log | undefined;
  registered: () => Promise<void>;
  locked: LockedAccounts;
};

/** A till holds this many calls of the size that opened it. */
const callsPerTill = 32n;
/** An account is rich enough for one when this many tills are available. */
const richTills = 32n;
/** After an account was found poor it is not asked again for a while, ms. */
const poorPauseMs = 10_000;
const patience = { timeoutMs: 4_000, lockMs };

/** Opens tills for accounts that are rich enough. */
export function createTillOpenings(options: TillOpeningsOptions, open: OpenTills) {
  const { database, instanceId, clock, log, registered, locked } = options;
  const openings = new Map<string, Promise<void>>();
  const poorUntilMs = new Map<string, number>();
  let stopping = false;

  const batch = createAccountBatcher({
    ...{ name: 'billing.open_till', locked, clock },
    accountOf: ({ accountId }) => accountId,
    run: (asked: readonly TillOpening[]) =>
      runIsolated(asked, {
        run: async (part) => {
          await registered();
          const opened = await openTills(database, instanceId, { openings: part, ...patience });
          return part.map(({ accountId }) => opened.has(accountId));
        },
      }),
  });

  function notePoor(accountId: string): void {
    poorUntilMs.set(accountId, clock.monotonicMs() + poorPauseMs);
  }

  async function tryToOpen({ accountId, micro }: HoldRequest): Promise<void> {
    const id = tillIdOf(accountId, instanceId);
    const size = micro * callsPerTill;
    try {
      const asked = { tillId: id, accountId, micro: size, leastAvailable: size * richTills };
      if (unwrap(await batch.submit(asked))) open.add({ id, accountId, micro: size });
      else notePoor(accountId);
    } catch (error) {
      // It may be open in the database; the next sweep of holds gives it back.
      // While the database is away each call tries: lines that name nobody are told together.
      log?.warn({ err: error, ...(isUnavailable(error) ? {} : { accountId }) }, 'a till could not be opened');
    }
  }

  return {
    has: (accountId: string): boolean => openings.has(accountId),

    /** Whether one begins, or an account is not to be asked for a while. */
    isInFlight: (): boolean => openings.size > 0 || poorUntilMs.size > 0,

    /** For calls of the size of this one; nobody waits for it. */
    begin(request: HoldRequest): void {
      const { accountId } = request;
      if (stopping || openings.has(accountId) || (poorUntilMs.get(accountId) ?? 0) > clock.monotonicMs()) return;
      openings.set(
        accountId,
        tryToOpen(request).finally(() => openings.delete(accountId)),
      );
    },

    notePoor,

    forgetPoor(): void {
      const nowMs = clock.monotonicMs();
      for (const [accountId, untilMs] of poorUntilMs) if (untilMs <= nowMs) poorUntilMs.delete(accountId);
    },

    /** None begins any more; resolves when the last one is over. */
    async stop(): Promise<void> {
      stopping = true;
      await Promise.all(openings.values());
    },
  };
}
