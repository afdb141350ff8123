import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '#db';
import { type Clock, isUnavailableFault, type Log } from '#kernel';
import { type Batches, type HeldCall, ofAccount } from './batches.ts';
import type { HoldAnswer, HoldRequest } from './holds.store.ts';
import { unwrap } from './isolation.ts';
import { hasOtherTills } from './tills.store.ts';
import type { Tills } from './tills.ts';

/** Holds of their own, for calls that draw on no till and for work. */
export type Holds = {
  /** Nobody is refused for credits that only wait in a till, here or elsewhere. */
  place: (request: HoldRequest) => Promise<HoldAnswer>;
  /** Never rejects: what cannot be given back now is given back by the next sweep. */
  release: (call: HeldCall) => Promise<void>;
};

export type HoldsOptions = {
  database: Database;
  instanceId: string;
  clock: Clock;
  log: Log | undefined;
  batches: Batches;
  tills: Tills;
  tillWaitMs: number;
};

const otherTillsPauseMs = 100;

export function createHolds({ database, instanceId, clock, log, batches, tills, tillWaitMs }: HoldsOptions): Holds {
  /** Tries again until it is held, or no other instance has a till that might be closed for it. */
  async function placeBesideOthers(request: HoldRequest): Promise<HoldAnswer> {
    const deadlineMs = clock.monotonicMs() + tillWaitMs;
    for (;;) {
      // Looked at before the hold is tried again: a till that was closed in between has already helped.
      const othersMayHelp = await hasOtherTills(database, request.accountId, instanceId);
      const answer = ofAccount(await batches.holds.submit(request), request.accountId);
      if (answer === 'held' || !othersMayHelp || clock.monotonicMs() > deadlineMs) return answer;
      await sleep(otherTillsPauseMs);
    }
  }

  return {
    async place(request) {
      const answer = ofAccount(await batches.holds.submit(request), request.accountId);
      if (answer === 'held') return answer;
      await tills.close(request.accountId);
      return placeBesideOthers(request);
    },

    async release(call) {
      try {
        await tills.leaving(call.requestId);
        unwrap(await batches.releases.submit(call));
      } catch (error) {
        if (!isUnavailableFault(error))
          log?.warn({ err: error, requestId: call.requestId }, 'a hold could not be released');
      }
    },
  };
}
