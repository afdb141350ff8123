/** Does a piece of work when its turn has come. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

export type TurnsOptions = {
  /** How many pieces of work run at a time. */
  running: number;
  /** Asked when a piece of work would have to wait, with how many wait before it; may throw to refuse it. */
  onWait?: (waiting: number) => void;
};

/** Lets a bounded number of pieces of work run at a time; the others wait, in the order in which they came. */
export function createTurns({ running, onWait = () => {} }: TurnsOptions): InTurn {
  const waiting: (() => void)[] = [];
  let free = running;

  async function begin(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return;
    }
    onWait(waiting.length);
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  /** Hands the place over without giving it up in between. */
  function end(): void {
    const next = waiting.shift();
    if (next) next();
    else free += 1;
  }

  return async (work) => {
    await begin();
    try {
      return await work();
    } finally {
      end();
    }
  };
}
