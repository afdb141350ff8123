import { sqlState } from '#db';
import { Fault, fault } from '#kernel';

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
