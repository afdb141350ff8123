import { setImmediate as nextTurn } from 'node:timers/promises';

/** Counts work, so that whoever stops can wait for its end. */
export type InFlight = {
  /** Counts work until `end` is called for it. */
  begin: () => void;
  end: () => void;
  /** The same work; it settles after it was counted as over. */
  track: <T>(work: Promise<T>) => Promise<T>;
  count: () => number;
  /** Resolves when nothing is in flight: neither what is now, nor what begins meanwhile or when that ends. */
  drained: () => Promise<void>;
};

export function createInFlight(): InFlight {
  let count = 0;
  let ending: PromiseWithResolvers<void> | null = null;

  function begin(): void {
    count += 1;
  }

  function end(): void {
    count -= 1;
    if (count > 0) return;
    ending?.resolve();
    ending = null;
  }

  return {
    begin,
    end,
    async track(work) {
      begin();
      try {
        return await work;
      } finally {
        end();
      }
    },
    count: () => count,
    async drained() {
      while (count > 0) {
        ending ??= Promise.withResolvers();
        await ending.promise;
        // Whoever waits for the last of it hears of its end after this, and may begin more.
        await nextTurn();
      }
    },
  };
}
