import { createBatcher } from '#db';
import type { Clock } from '#kernel';
import type { Outcome } from './isolation.ts';
import { isLockedOut, type LockedAccounts } from './locked-accounts.ts';

export type AccountBatcherOptions<In, Out> = {
  name: string;
  accountOf: (item: In) => string;
  /** Waits for no lock longer than `lockMs`. */
  run: (items: readonly In[]) => Promise<Outcome<Out>[]>;
  locked: LockedAccounts;
  clock: Clock;
};

const maxItems = 512;
/** What an account that is locked is waited for. */
const patienceMs = 4_000;

/**
 * A batcher of what is done to accounts: one that is locked is set aside, and keeps nobody else's from being done. One lane: a
 * second would mostly wait for the account locks of the first, and two batches of half the size cost more.
 */
export function createAccountBatcher<In, Out>(options: AccountBatcherOptions<In, Out>) {
  const { name, accountOf, run, locked, clock, ...patience } = options;

  const batcher = createBatcher<In, Outcome<Out>>({
    name,
    lanes: 1,
    maxItems,
    ...patience,
    run: async (items) => {
      const outcomes = await run(items);
      const late = items.filter((_, index) => isLate(outcomes[index]));
      if (late.length > 0) await locked.setAside(late.map(accountOf)).catch(() => {});
      return outcomes;
    },
  });

  /** Nothing was done so far: it is done as soon as its account can be locked. */
  async function goOn(item: In, first: Outcome<Out> | null): Promise<Outcome<Out>> {
    const untilMs = clock.monotonicMs() + patienceMs;
    for (let outcome = first; ; outcome = await batcher.submit(item)) {
      if (outcome && (!isLate(outcome) || clock.monotonicMs() >= untilMs)) return outcome;
      await locked.free(accountOf(item), untilMs);
    }
  }

  return {
    submit(item: In): Promise<Outcome<Out>> {
      if (locked.has(accountOf(item))) return goOn(item, null);
      return batcher.submit(item).then((outcome) => (isLate(outcome) ? goOn(item, outcome) : outcome));
    },
  };
}

function isLate(outcome: Outcome<unknown> | undefined): boolean {
  return outcome?.ok === false && isLockedOut(outcome.error);
}
