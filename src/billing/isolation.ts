import { sqlState } from '#db';
import { Fault } from '#kernel';

/** What became of one item of a batch. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; error: unknown };

export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw outcome.error;
}

// Deadlock and serialization failure: nothing was done, and the same statement may work now.
const retryStates = new Set(['40P01', '40001']);
const attempts = 5;

type Run<In, Out> = (items: readonly In[]) => Promise<readonly Out[]>;

/**
 * Runs a batch as one statement. Lost races are run again; a statement that the database refuses for what it contains
 * is split until only the item at fault fails, so that one caller's bad value never fails another's call. Trouble with
 * the database itself fails all items alike.
 *
 * @param isLostRace further errors after which the statement may be run again.
 */
export async function runIsolated<In, Out>(
  items: readonly In[],
  run: Run<In, Out>,
  isLostRace: (error: unknown) => boolean = () => false,
): Promise<Outcome<Out>[]> {
  try {
    const results = await runRepeatedly(items, run, isLostRace);
    return results.map((value) => ({ ok: true, value }));
  } catch (error) {
    if (items.length === 1 || error instanceof Fault) return items.map(() => ({ ok: false, error }));
    const half = Math.ceil(items.length / 2);
    return [
      ...(await runIsolated(items.slice(0, half), run, isLostRace)),
      ...(await runIsolated(items.slice(half), run, isLostRace)),
    ];
  }
}

async function runRepeatedly<In, Out>(
  items: readonly In[],
  run: Run<In, Out>,
  isLostRace: (error: unknown) => boolean,
): Promise<readonly Out[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run(items);
    } catch (error) {
      const mayRepeat = retryStates.has(sqlState(error) ?? '') || isLostRace(error);
      if (!mayRepeat || attempt === attempts) throw error;
    }
  }
}
