import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, fault, isUnavailableFault, type Micro } from '#kernel';
import { type Batches, type HeldCall, ofAccount } from './batches.ts';
import type { Charge } from './charge.ts';
import { unwrap } from './isolation.ts';
import { chargeWithin } from './rates.ts';
import type { Tills } from './tills.ts';

export type SettlementsOptions = {
  clock: Clock;
  batches: Batches;
  tills: Tills;
  settleForMs: number;
  /** Nobody waits for it. */
  releaseSoon: (call: HeldCall) => void;
};

const firstPauseMs = 20;
const longestPauseMs = 1_000;

/** Charges of calls that ran: out of the till that a call draws on, or with the hold that it has of its own. */
export function createSettlements({ clock, batches, tills, settleForMs, releaseSoon }: SettlementsOptions) {
  const isInTill = ({ requestId, heldMicro }: Charge) => heldMicro === 0n || tills.has(requestId);

  function notePaid({ requestId, accountId, heldMicro }: Charge, availableMicro: Micro): void {
    if (tills.has(requestId)) tills.giveBack(requestId);
    // Its till was closed meanwhile, and it has a hold of its own.
    else if (heldMicro > 0n) releaseSoon({ requestId, accountId });
    tills.observe(accountId, availableMicro);
  }

  return {
    /** Waits out trouble with the database; throws `ambiguous_transport` where that takes too long. */
    async settle(charge: Charge): Promise<{ chargedMicro: Micro }> {
      const deadlineMs = clock.monotonicMs() + settleForMs;
      for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
        try {
          if (isInTill(charge)) {
            const paid = unwrap(await batches.quickSettlements.submit(charge));
            if (paid !== null) {
              notePaid(charge, paid.availableMicro);
              return { chargedMicro: chargeWithin(charge.heldMicro, charge) };
            }
            await tills.close(charge.accountId);
          }
          // Its hold is on the way from the till; without it, it would pay out of what is left over.
          else await tills.leaving(charge.requestId);
          return { chargedMicro: ofAccount(await batches.settlements.submit(charge), charge.accountId) };
        } catch (error) {
          if (!isUnavailableFault(error)) throw error;
          if (clock.monotonicMs() + pauseMs > deadlineMs) throw fault('ambiguous_transport', { cause: error });
          await sleep(pauseMs);
        }
      }
    },
  };
}
