/** Work that is done again and again while a process runs. */
export type Rounds = {
  /** A second start changes nothing. */
  start: () => void;
  /** No round begins any more; resolves when the last one is over. Never rejects. */
  stop: () => Promise<void>;
};

export type RoundsOptions = {
  /** From the end of one round to the beginning of the next, so that there are never two at once. */
  pauseMs: number;
  /** Whether the first round waits for a pause, too. */
  first: 'at once' | 'after a pause';
  work: () => Promise<unknown>;
  /** Told what a round has failed with; the next one comes nevertheless. */
  onTrouble: (error: unknown) => void;
};

/** Makes rounds of some work; they do not keep the process alive. */
export function createRounds({ pauseMs, first, work, onTrouble }: RoundsOptions): Rounds {
  let isOn = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();

  function wait(): void {
    timer = setTimeout(turn, pauseMs).unref();
  }

  function turn(): void {
    current = work()
      .catch(onTrouble)
      .then(() => {
        if (isOn) wait();
      });
  }

  return {
    start() {
      if (isOn) return;
      isOn = true;
      if (first === 'at once') turn();
      else wait();
    },
    async stop() {
      isOn = false;
      clearTimeout(timer);
      await current;
    },
  };
}

/** Several rounds as one, each at its own pace: one that takes its time keeps no other from its turn. */
export function joinRounds(rounds: readonly Rounds[]): Rounds {
  return {
    start() {
      for (const { start } of rounds) start();
    },
    async stop() {
      await Promise.all(rounds.map(({ stop }) => stop()));
    },
  };
}
