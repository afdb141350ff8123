import type { Clock, Micro } from '#kernel';
import type { HoldRequest } from './holds.store.ts';

export type Till = {
  id: string;
  accountId: string;
  micro: Micro;
  free: Micro;
  /** What draws on it, oldest first. */
  calls: Map<string, { micro: Micro; sinceMs: number }>;
  lastUsedMs: number;
};

export type OpenTills = ReturnType<typeof createOpenTills>;

/** The tills that are open here and the calls that draw on them, as far as memory goes (`tills.ts`). */
export function createOpenTills(clock: Clock) {
  const tillOfAccount = new Map<string, Till>();
  const tillOfCall = new Map<string, Till>();

  return {
    of: (accountId: string): Till | undefined => tillOfAccount.get(accountId),

    all: (): Till[] => [...tillOfAccount.values()],

    size: (): number => tillOfAccount.size,

    add({ id, accountId, micro }: Pick<Till, 'id' | 'accountId' | 'micro'>): void {
      const till = { id, accountId, micro, free: micro, calls: new Map(), lastUsedMs: clock.monotonicMs() };
      tillOfAccount.set(accountId, till);
    },

    /** False: there is not enough in it. */
    draw(till: Till, { requestId, micro }: HoldRequest): boolean {
      if (till.free < micro) return false;
      till.free -= micro;
      till.lastUsedMs = clock.monotonicMs();
      till.calls.set(requestId, { micro, sinceMs: till.lastUsedMs });
      tillOfCall.set(requestId, till);
      return true;
    },

    isDrawnOnBy: (requestId: string): boolean => tillOfCall.has(requestId),

    giveBack(requestId: string): void {
      const till = tillOfCall.get(requestId);
      if (!till) return;
      till.free += till.calls.get(requestId)?.micro ?? 0n;
      till.calls.delete(requestId);
      tillOfCall.delete(requestId);
    },

    /** Those on which nothing has drawn for so long, or a call has. */
    idleFor(ms: number): Till[] {
      const beforeMs = clock.monotonicMs() - ms;
      return [...tillOfAccount.values()].filter(
        ({ calls, lastUsedMs }) => (firstOf(calls)?.sinceMs ?? lastUsedMs) < beforeMs,
      );
    },

    /** Its own list of calls stays as it is. */
    remove({ accountId, calls }: Till): void {
      tillOfAccount.delete(accountId);
      for (const requestId of calls.keys()) tillOfCall.delete(requestId);
    },
  };
}

function firstOf<T>(values: ReadonlyMap<string, T>): T | undefined {
  for (const value of values.values()) return value;
  return undefined;
}
