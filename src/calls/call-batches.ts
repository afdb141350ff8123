import { setTimeout as sleep } from 'node:timers/promises';
import { createBatcher, type Database, sqlState, type Transaction } from '#db';
import type { Clock } from '#kernel';
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
    run: () => Promise<Result[]>,
  ): Promise<Result[]> {
    forgetLocked();
    try {
      return await run();
    } catch (error) {
      if (!isLockTimeout(error)) throw error;
      for (const item of items) locked.set(accountOf(item), clock.monotonicMs() + rememberedMs);
      const results = await run();
      const free = items.filter((_, index) => results[index]?.outcome !== 'locked');
      for (const item of free) locked.delete(accountOf(item));
      return results;
    }
  }

  function forgetLocked(): void {
    const nowMs = clock.monotonicMs();
    for (const [accountId, untilMs] of locked) if (untilMs <= nowMs) locked.delete(accountId);
  }

  /** Tries again while the account is locked; then gives the last result. */
  async function whileLocked<Result extends { outcome: string }>(submit: () => Promise<Result>): Promise<Result> {
    const untilMs = clock.monotonicMs() + longestLockMs;
    for (;;) {
      const result = await submit();
      if (result.outcome !== 'locked' || clock.monotonicMs() >= untilMs) return result;
      await sleep(lockedPauseMs);
    }
  }

  const beginning = createBatcher<BeginRequest, BeginResult>({
    name: 'calls.begin',
    lanes: 1,
    maxItems,
    isIsolated: true,
    run: async (requests) => {
      await registered();
      return runUnlocked(
        requests,
        ({ accountId }) => accountId,
        () => beginCalls(database, requests, { serverId, locks, at: now() }),
      );
    },
  });
  const ending = createBatcher<EndRequest, EndResult>({
    name: 'calls.end',
    lanes: 1,
    maxItems,
    isIsolated: true,
    run: (ends) =>
      runUnlocked(
        ends,
        ({ charge }) => charge.accountId,
        () => endTogether(database, ends, (sql) => endCalls(sql, ends, { locks, at: now() })),
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
