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
  /** While there is nothing to do, rounds rest until they are woken: a server that rests has no timer for them. */
  isNeeded?: () => boolean;
};

/** Rounds that may rest. */
export type RestingRounds = Rounds & {
  /** There may be something to do: a round comes after a pause. Costs nothing where they do not rest. */
  wake: () => void;
};

/** Makes rounds of some work; they do not keep the process alive. */
export function createRounds(options: RoundsOptions): RestingRounds {
  const { pauseMs, first, work, onTrouble, isNeeded = () => true } = options;
  let isOn = false;
  let isResting = false;
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> = Promise.resolve();

  function wait(): void {
    isResting = !isNeeded();
    if (!isResting) timer = setTimeout(turn, pauseMs).unref();
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
    wake() {
      if (isResting) wait();
    },
    async stop() {
      isOn = false;
      isResting = false;
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
