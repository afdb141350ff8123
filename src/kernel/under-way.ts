import { setImmediate as nextTurn } from 'node:timers/promises';

/** Counts work, so that whoever stops can wait for it. (Not a set of promises: see `BriefMap`.) */
export type UnderWay = {
  /** Counts work until `ended` is called for it. */
  begun: () => void;
  ended: () => void;
  /** The same work; it settles after it was counted as over. */
  track: <T>(work: Promise<T>) => Promise<T>;
  count: () => number;
  /** Resolves when nothing is under way: neither what is now, nor what begins meanwhile or when that ends. */
  over: () => Promise<void>;
};

export function createUnderWay(): UnderWay {
  let count = 0;
  let ending: PromiseWithResolvers<void> | null = null;

  function begun(): void {
    count += 1;
  }

  function ended(): void {
    count -= 1;
    if (count > 0) return;
    ending?.resolve();
    ending = null;
  }

  return {
    begun,
    ended,
    async track(work) {
      begun();
      try {
        return await work;
      } finally {
        ended();
      }
    },
    count: () => count,
    async over() {
      while (count > 0) {
        ending ??= Promise.withResolvers();
        await ending.promise;
        // Whoever waits for the last of it hears of its end after this, and may begin more.
        await nextTurn();
      }
    },
  };
}
