import type { Clock } from './clock.ts';
import { createIntervalTask } from './interval-task.ts';

/** When things of one kind were last used; written exact to a minute, without a write per use. */
export type LastUses = {
  /** Notes a use; costs one map entry. */
  seen: (id: string) => void;
  /** Writes what is due. Rejects where the database does not take it; then it is due the next time, too. */
  flush: () => Promise<void>;
  start: () => void;
  /** Writes what is due; rejects never. */
  stop: () => Promise<void>;
};

export type LastUse = { id: string; at: Date };

export type LastUsesOptions = {
  clock: Clock;
  /** Moves the stored times forward, each by at least `spacingMs`. */
  write: (uses: readonly LastUse[], spacingMs: number) => Promise<void>;
};

/** Least distance between two stored times, ms. */
const spacingMs = 60_000;
const flushEveryMs = 5_000;

/**
 * Taken from the monotonic clock: when the wall clock is set back, later uses would seem to come before stored ones
 * and never be written.
 */
type Times = { lastMs: number; storedMs: number };

const isDue = ({ lastMs, storedMs }: Times) => lastMs - storedMs >= spacingMs;

export function createLastUses({ clock, write }: LastUsesOptions): LastUses {
  const noted = new Map<string, Times>();

  async function flush(): Promise<void> {
    const due = [...noted].filter(([, times]) => isDue(times)).map(([id, { lastMs }]) => ({ id, lastMs }));
    const offsetMs = clock.nowMs() - clock.monotonicMs();
    const uses = due.map(({ id, lastMs }) => ({ id, at: new Date(lastMs + offsetMs) }));
    if (uses.length > 0) await write(uses, spacingMs);
    for (const { id, lastMs } of due) {
      const times = noted.get(id);
      if (times) times.storedMs = lastMs;
    }
    forgetResting(clock.monotonicMs());
  }

  /**
   * Forgets what was not used for a whole spacing: its next use is written at once anyway. So the map holds only what
   * is in use.
   */
  function forgetResting(nowMs: number): void {
    for (const [id, times] of noted) if (!isDue(times) && nowMs - times.lastMs >= spacingMs) noted.delete(id);
  }

  // What could not be written now is due again in the next round.
  const task = createIntervalTask({
    pauseMs: flushEveryMs,
    first: 'after a pause',
    work: flush,
    onError: () => {},
  });

  return {
    seen(id) {
      const nowMs = clock.monotonicMs();
      const times = noted.get(id);
      if (times) times.lastMs = nowMs;
      else noted.set(id, { lastMs: nowMs, storedMs: Number.NEGATIVE_INFINITY });
    },
    flush,
    start: task.start,
    async stop() {
      await task.stop();
      await flush().catch(() => {});
    },
  };
}
