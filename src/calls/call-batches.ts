import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher, type Database, sqlState, type Transaction } from '#db';
import { type Clock, Fault, fault } from '#kernel';
import {
  type BeginRequest,
  type BeginResult,
  beginCalls,
  type CallEnding,
  type EndResult,
  endCalls,
  voidCallsQuickly,
} from './calls.store.ts';

/** Stores something in the transaction that ends its call, for many calls at once. */
export type Attachment<Row = unknown> = {
  insert: (tx: Transaction, rows: readonly Row[]) => Promise<void>;
  row: Row;
  /** Called when it is stored; must not throw. */
  stored?: () => void;
};

export type EndRequest = CallEnding & { attachment: Attachment | null };

/** The statements of calls, each for all that ask at the same time. Results are never `locked`. */
export type CallBatches = {
  begin: (request: BeginRequest) => Promise<BeginResult>;
  end: (request: EndRequest) => Promise<EndResult>;
  void: (callId: string) => Promise<void>;
};

export type CallBatchesOptions = {
  database: Database;
  serverId: string;
  registered: () => Promise<void>;
  clock: Clock;
  now: () => Date | null;
};

const maxItems = 512;
/** Longest wait for a lock, ms: far longer than these statements hold one, and short for those who wait in the same batch. */
const lockMs = 300;
/** An account that was locked is asked for without waiting, for so long. */
const rememberedMs = 2_000;
const lockedPauseMs = 100;
const longestLockMs = 4_000;

export function createCallBatches({ database, serverId, registered, clock, now }: CallBatchesOptions): CallBatches {
  const locked = new Map<string, number>();
  const locks = { lockMs, skipLocked: (accountId: string) => locked.has(accountId) };

  /** An account that somebody keeps locked must not hold up the others of a batch: it is skipped, and asked for again. */
  async function runUnlocked<Item, Result extends { outcome: string }>(
    items: readonly Item[],
    accountOf: (item: Item) => string,
    run: (items: readonly Item[]) => Promise<Result[]>,
  ): Promise<Outcome<Result>[]> {
    forgetLocked();
    return runIsolated(items, {
      run: async (part) => {
        try {
          return await run(part);
        } catch (error) {
          if (!isLockTimeout(error)) throw error;
          for (const item of part) locked.set(accountOf(item), clock.monotonicMs() + rememberedMs);
          const results = await run(part);
          const free = part.filter((_, index) => results[index]?.outcome !== 'locked');
          for (const item of free) locked.delete(accountOf(item));
          return results;
        }
      },
    });
  }

  function forgetLocked(): void {
    const nowMs = clock.monotonicMs();
    for (const [accountId, untilMs] of locked) if (untilMs <= nowMs) locked.delete(accountId);
  }

  /** Tries again while the account is locked; then gives the last result. */
  async function whileLocked<Result extends { outcome: string }>(
    submit: () => Promise<Outcome<Result>>,
  ): Promise<Result> {
    const untilMs = clock.monotonicMs() + longestLockMs;
    for (;;) {
      const result = unwrap(await submit());
      if (result.outcome !== 'locked' || clock.monotonicMs() >= untilMs) return result;
      await sleep(lockedPauseMs);
    }
  }

  const beginning = createBatcher<BeginRequest, Outcome<BeginResult>>({
    name: 'calls.begin',
    lanes: 1,
    maxItems,
    run: async (requests) => {
      await registered();
      return runUnlocked(
        requests,
        ({ accountId }) => accountId,
        (part) => beginCalls(database, part, { serverId, locks, at: now() }),
      );
    },
  });
  const ending = createBatcher<EndRequest, Outcome<EndResult>>({
    name: 'calls.end',
    lanes: 1,
    maxItems,
    run: (ends) =>
      runUnlocked(
        ends,
        ({ charge }) => charge.accountId,
        (part) => endTogether(database, part, (sql) => endCalls(sql, part, { locks, at: now() })),
      ),
  });
  const voiding = createBatcher<string, string>({
    name: 'calls.void',
    lanes: 1,
    maxItems,
    run: async (callIds) => {
      await voidCallsQuickly(database, callIds, lockMs).catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        // The reaper voids the calls of the accounts that are skipped.
        return voidCallsQuickly(database, callIds, 0);
      });
      return callIds;
    },
  });

  return {
    begin: (request) => whileLocked(() => beginning.submit(request)),
    end: (request) => whileLocked(() => ending.submit(request)),
    void: async (callId) => void (await voiding.submit(callId)),
  };
}

/** One transaction, where there is something to be stored with the calls. */
async function endTogether(
  database: Database,
  ends: readonly EndRequest[],
  end: (sql: Database | Transaction) => Promise<EndResult[]>,
): Promise<EndResult[]> {
  const attachments = ends.flatMap(({ attachment }) => attachment ?? []);
  if (attachments.length === 0) return end(database);
  const results = await database.transaction(async (tx) => {
    for (const [insert, members] of Map.groupBy(attachments, (each) => each.insert))
      await insert(
        tx,
        members.map(({ row }) => row),
      );
    return end(tx);
  });
  for (const { stored } of attachments) stored?.();
  return results;
}

function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03';
}

/** What became of one item of a batch. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

export type IsolatedRun<In, Out> = {
  /** Runs the items as one statement: all of them or none. */
  run: (items: readonly In[]) => Promise<readonly Out[]>;
  /** Errors, besides deadlocks and the like, after which the statement may be run again at once. */
  isLostRace?: (error: unknown) => boolean;
};

// Deadlock and serialization failure: nothing was done, and the same statement may work now.
const lostRaceStates = new Set(['40P01', '40001']);
const attempts = 5;
// Cardinality, data, constraint, syntax or access: the statement is refused for what it says. Everything else
// (a timeout, a restart, a database that takes no connections, ...) is the database's own failure.
const refusalClass = /^(21|22|23|42)/;

/**
 * Runs a batch. Lost races are run again. When the database refuses the statement for what it contains, it is split
 * until only the item at fault fails, so that one caller's bad value never fails another's call. A failure of the
 * database fails all items alike, with `service_unavailable`.
 */
export async function runIsolated<In, Out>(items: readonly In[], how: IsolatedRun<In, Out>): Promise<Outcome<Out>[]> {
  try {
    const results = await runRepeatedly(items, how);
    return results.map((value) => ({ ok: true, value }));
  } catch (cause) {
    const error = asFailure(cause);
    if (items.length === 1 || error instanceof Fault) return items.map(() => ({ ok: false, error }));
    const half = Math.ceil(items.length / 2);
    return [...(await runIsolated(items.slice(0, half), how)), ...(await runIsolated(items.slice(half), how))];
  }
}

async function runRepeatedly<In, Out>(
  items: readonly In[],
  { run, isLostRace = () => false }: IsolatedRun<In, Out>,
): Promise<readonly Out[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(items);
    } catch (error) {
      const mayRepeat = lostRaceStates.has(sqlState(error) ?? '') || isLostRace(error);
      if (!mayRepeat || attempt === attempts) throw error;
    }
  }
}

function asFailure(error: unknown): unknown {
  const state = error instanceof Fault ? null : sqlState(error);
  if (state === null || refusalClass.test(state)) return error;
  return fault('service_unavailable', { retryAfterSeconds: 1, cause: error });
}
