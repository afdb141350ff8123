import { createBatcher, type Database } from '#db';
import { type Clock, createRounds, type Log, type Micro } from '#kernel';
import type { HoldRequest } from './holds.store.ts';
import { accountOf, closeTills, openTills, type TillOpening, tillIdOf } from './tills.store.ts';

/**
 * Holds that cost no statement. For an account with credits to spare an instance keeps a till: one hold in the database
 * that its calls share in memory. Nothing is less exact for it: what a till guarantees is reserved, an account that is
 * not rich has none, and before anybody is refused, tills are closed, which turns the calls that draw on them into
 * ordinary holds and gives the rest back.
 *
 * A till is closed when its account is no longer rich, when nothing draws on it, when a call has drawn on it for a while,
 * and at the end. It dies with its instance like any hold. One limit remains: a call that asks for nearly all an account
 * has may be refused for the little that a till in constant use by short calls elsewhere keeps, less than one part in
 * `poorTills`.
 */
export type Tills = {
  /** Reserves the call's credits in the account's till. False: there is no till, or not enough in it. */
  take: (request: HoldRequest) => boolean;
  /** Whether this call draws on a till. */
  has: (requestId: string) => boolean;
  /** While the till of this call is being closed: resolves once the call has its own hold. */
  leaving: (requestId: string) => Promise<void> | undefined;
  /** The call is over: what it had reserved is free for others. */
  giveBack: (requestId: string) => void;
  /** Learns from a settlement what the account has left. */
  observe: (accountId: string, availableMicro: Micro) => void;
  /** Closes the account's till; its calls have ordinary holds once this resolves. Without a till it does nothing. */
  close: (accountId: string) => Promise<void>;
  /** Whether this is the id of a till that is open, or may be. */
  owns: (tillId: string) => boolean;
  /** Forgets everything: other instances took this one for dead and gave its holds back. */
  forget: () => void;
  start: () => void;
  stop: () => Promise<void>;
};

export type TillsOptions = {
  database: Database;
  instanceId: string;
  clock: Clock;
  log: Log | undefined;
  registered: () => Promise<void>;
  idleMs: number;
};

/** A till holds this many calls of the size that opened it. */
const callsPerTill = 32n;
/** An account is rich enough for one when this many tills are available, and no longer with fewer than `poorTills`. */
const richTills = 32n;
const poorTills = 8n;
/** After an account was found poor it is not asked again for a while, ms. */
const poorPauseMs = 10_000;
const maxItems = 512;
const timeoutMs = 4_000;

type Till = {
  id: string;
  accountId: string;
  micro: Micro;
  free: Micro;
  /** What draws on it, oldest first. */
  calls: Map<string, { micro: Micro; sinceMs: number }>;
  lastUsedMs: number;
};

export function createTills({ database, instanceId, clock, log, registered, idleMs }: TillsOptions): Tills {
  const open = new Map<string, Till>();
  const opening = new Set<string>();
  const closing = new Map<string, Promise<void>>();
  const poorUntilMs = new Map<string, number>();
  const tillOfCall = new Map<string, Till>();
  const leaving = new Map<string, Promise<void>>();
  let stopping = false;

  const openings = createBatcher<TillOpening, boolean>({
    name: 'billing.open_till',
    lanes: 1,
    maxItems,
    run: async (asked) => {
      await registered();
      const opened = await openTills(database, instanceId, { openings: asked, timeoutMs });
      return asked.map(({ accountId }) => opened.has(accountId));
    },
  });

  async function openFor({ accountId, micro }: HoldRequest): Promise<void> {
    if (stopping || opening.has(accountId) || closing.has(accountId)) return;
    if ((poorUntilMs.get(accountId) ?? 0) > clock.monotonicMs()) return;
    opening.add(accountId);
    const id = tillIdOf(accountId, instanceId);
    const size = micro * callsPerTill;
    try {
      const opened = await openings.submit({ tillId: id, accountId, micro: size, leastAvailable: size * richTills });
      if (opened) {
        const lastUsedMs = clock.monotonicMs();
        open.set(accountId, { id, accountId, micro: size, free: size, calls: new Map(), lastUsedMs });
      } else poorUntilMs.set(accountId, clock.monotonicMs() + poorPauseMs);
    } catch (error) {
      // It may be open in the database; the next sweep of holds gives it back.
      log?.warn({ err: error, accountId }, 'a till could not be opened');
    } finally {
      opening.delete(accountId);
    }
  }

  async function closeAll(tills: readonly Till[]): Promise<void> {
    for (const { accountId } of tills) open.delete(accountId);
    const done = closeTills(database, instanceId, {
      tillIds: tills.map(({ id }) => id),
      calls: tills.flatMap(({ accountId, calls }) =>
        [...calls].map(([requestId, { micro }]) => ({ requestId, accountId, micro })),
      ),
      timeoutMs,
    }).catch((error: unknown) => {
      // The till stays in the database until the next sweep of holds; its calls settle as calls without a hold.
      log?.warn({ err: error, tills: tills.length }, 'tills could not be closed');
    });
    const ended = done.finally(() => {
      for (const { accountId, calls } of tills) {
        closing.delete(accountId);
        for (const requestId of calls.keys()) leaving.delete(requestId);
      }
    });
    for (const till of tills) {
      closing.set(till.accountId, ended);
      for (const requestId of till.calls.keys()) {
        tillOfCall.delete(requestId);
        leaving.set(requestId, ended);
      }
    }
    await ended;
  }

  async function sweep(): Promise<void> {
    const nowMs = clock.monotonicMs();
    // Calls that take long get holds of their own: other instances can see them, and the rest is not kept from anybody.
    const isDue = ({ calls, lastUsedMs }: Till) => nowMs - (firstOf(calls)?.sinceMs ?? lastUsedMs) > idleMs;
    const idle = [...open.values()].filter(isDue);
    if (idle.length > 0) await closeAll(idle);
    for (const [accountId, untilMs] of poorUntilMs) if (untilMs <= nowMs) poorUntilMs.delete(accountId);
  }

  const rounds = createRounds({
    pauseMs: idleMs / 2,
    first: 'at once',
    work: sweep,
    onTrouble: (error) => log?.warn({ err: error }, 'no sweep of tills'),
  });

  return {
    take(request) {
      const { requestId, accountId, micro } = request;
      const till = open.get(accountId);
      if (!till) {
        void openFor(request);
        return false;
      }
      if (till.free < micro) return false;
      till.free -= micro;
      till.lastUsedMs = clock.monotonicMs();
      till.calls.set(requestId, { micro, sinceMs: till.lastUsedMs });
      tillOfCall.set(requestId, till);
      return true;
    },

    has: (requestId) => tillOfCall.has(requestId),

    leaving: (requestId) => leaving.get(requestId),

    giveBack(requestId) {
      const till = tillOfCall.get(requestId);
      if (!till) return;
      till.free += till.calls.get(requestId)?.micro ?? 0n;
      till.calls.delete(requestId);
      tillOfCall.delete(requestId);
    },

    observe(accountId, availableMicro) {
      const till = open.get(accountId);
      if (till && availableMicro < till.micro * poorTills) {
        poorUntilMs.set(accountId, clock.monotonicMs() + poorPauseMs);
        void closeAll([till]);
      }
    },

    async close(accountId) {
      const till = open.get(accountId);
      await (till ? closeAll([till]) : closing.get(accountId));
    },

    owns(tillId) {
      const accountId = accountOf(tillId);
      return accountId !== null && (open.has(accountId) || opening.has(accountId) || closing.has(accountId));
    },

    forget() {
      for (const till of open.values()) for (const requestId of till.calls.keys()) tillOfCall.delete(requestId);
      open.clear();
    },

    start: rounds.start,

    async stop() {
      stopping = true;
      await rounds.stop();
      while (opening.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      if (open.size > 0) await closeAll([...open.values()]);
      await Promise.all(closing.values());
    },
  };
}

function firstOf<T>(values: ReadonlyMap<string, T>): T | undefined {
  for (const value of values.values()) return value;
  return undefined;
}
