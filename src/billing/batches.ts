import { constraintOf, type Database } from '#db';
import type { Clock, Micro } from '#kernel';
import { createAccountBatcher } from './account-batcher.ts';
import type { Charge } from './charge.ts';
import { type HoldRequest, placeHolds, releaseHolds } from './holds.store.ts';
import { type Outcome, runIsolated, unwrap } from './isolation.ts';
import type { LockedAccounts } from './locked-accounts.ts';
import { settleQuickly } from './quick-settlements.store.ts';
import { settleCharges } from './settlements.store.ts';

export type Batches = ReturnType<typeof createBatches>;

export type BatchesOptions = {
  database: Database;
  instanceId: string;
  registered: () => Promise<void>;
  locked: LockedAccounts;
  clock: Clock;
};

const patience = { timeoutMs: 4_000 };

/** The statements of money, each for all calls that ask at the same time. */
export function createBatches({ database, instanceId, registered, locked, clock }: BatchesOptions) {
  const accountOf = ({ accountId }: { accountId: string }) => accountId;
  const common = { accountOf, locked, clock };
  return {
    holds: createAccountBatcher({
      ...common,
      name: 'billing.hold',
      run: (requests: readonly HoldRequest[]) =>
        runIsolated(requests, {
          run: async (part) => {
            await registered();
            return placeHolds(database, instanceId, { requests: part, ...patience });
          },
        }),
    }),
    quickSettlements: createAccountBatcher({
      ...common,
      name: 'billing.settle_from_till',
      run: (charges: readonly Charge[]) => runIsolated(charges, { run: (part) => payFromTills(database, part) }),
    }),
    settlements: createAccountBatcher({
      ...common,
      name: 'billing.settle',
      run: (charges: readonly Charge[]) =>
        runIsolated(charges, {
          run: (part) => settleCharges(database, part, patience),
          isLostRace: isSettledElsewhere,
        }),
    }),
    releases: createAccountBatcher({
      ...common,
      name: 'billing.release',
      run: (holds: readonly HeldCall[]) =>
        runIsolated(holds, {
          run: async (part) => {
            const requestIds = part.map(({ requestId }) => requestId);
            await releaseHolds(database, requestIds, patience);
            return part;
          },
        }),
    }),
  };
}

/** A call that has, or may have, a hold of its own. */
export type HeldCall = { requestId: string; accountId: string };

type PaidQuickly = { availableMicro: Micro };

/** Null for each charge that was not written. */
async function payFromTills(database: Database, charges: readonly Charge[]): Promise<(PaidQuickly | null)[]> {
  try {
    const paid = await settleQuickly(database, charges, patience);
    const byAccount = new Map(paid.map((account) => [account.accountId, account]));
    return charges.map(({ accountId }) => byAccount.get(accountId) ?? null);
  } catch (error) {
    if (!isSettledElsewhere(error)) throw error;
    return charges.map(() => null);
  }
}

/** An earlier attempt committed after the statement had looked; a new look finds its row. */
function isSettledElsewhere(error: unknown): boolean {
  return constraintOf(error) === 'ledger_once_per_request';
}

/** What a statement answers for an account; it answers null where there is none. */
export function ofAccount<T>(outcome: Outcome<T | null>, accountId: string): T {
  const answer = unwrap(outcome);
  if (answer === null) throw new Error(`There is no account ${accountId}. This is a bug.`);
  return answer;
}
