import { constraintOf, createBatcher, type Database } from '#db';
import type { Micro } from '#kernel';
import type { Charge } from './charge.ts';
import { type HoldRequest, placeHolds, releaseHolds } from './holds.store.ts';
import { type Outcome, runIsolated, unwrap } from './isolation.ts';
import { settleQuickly } from './quick-settlements.store.ts';
import { settleCharges } from './settlements.store.ts';

export type Batches = ReturnType<typeof createBatches>;

const maxItems = 512;
const statementTimeoutMs = 4_000;

/**
 * The statements of money, each for all calls that ask at the same time. One lane each: a second one would mostly wait for
 * the account locks of the first, and two batches of half the size cost more.
 */
export function createBatches(database: Database, instanceId: string, registered: () => Promise<void>) {
  const timeoutMs = statementTimeoutMs;
  return {
    holds: createBatcher({
      name: 'billing.hold',
      lanes: 1,
      maxItems,
      run: (requests: readonly HoldRequest[]) =>
        runIsolated(requests, {
          run: async (part) => {
            await registered();
            return placeHolds(database, instanceId, { requests: part, timeoutMs });
          },
        }),
    }),
    quickSettlements: createBatcher({
      name: 'billing.settle_from_till',
      lanes: 1,
      maxItems,
      run: (charges: readonly Charge[]) => runIsolated(charges, { run: (part) => payFromTills(database, part) }),
    }),
    settlements: createBatcher({
      name: 'billing.settle',
      lanes: 1,
      maxItems,
      run: (charges: readonly Charge[]) =>
        runIsolated(charges, {
          run: (part) => settleCharges(database, part, { timeoutMs }),
          isLostRace: isSettledElsewhere,
        }),
    }),
    releases: createBatcher({
      name: 'billing.release',
      lanes: 1,
      maxItems,
      run: (requestIds: readonly string[]) =>
        runIsolated(requestIds, {
          run: async (part) => {
            await releaseHolds(database, part, { timeoutMs });
            return part;
          },
        }),
    }),
  };
}

type PaidQuickly = { availableMicro: Micro };

/** Null for each charge that was not written. */
async function payFromTills(database: Database, charges: readonly Charge[]): Promise<(PaidQuickly | null)[]> {
  try {
    const paid = await settleQuickly(database, charges, { timeoutMs: statementTimeoutMs });
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
