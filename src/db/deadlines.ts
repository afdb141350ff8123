/** Something that is late unless it ends before. */
export type Deadline = { end: () => void };

/**
 * Watches how long statements take. One timer looks at all of them, and only while there are some: a timer for each, with what it
 * refers to, outlives most statements, and what it refers to is copied by the collector meanwhile (ADR 0049).
 */
export type Deadlines = {
  /**
   * Calls `late` between `afterMs` and `lookMs` later, and again after as long each time, until it is ended. Looks are counted, and no
   * clock is asked: while this process itself stood still, nothing was late.
   */
  add: (afterMs: number, late: () => void) => Deadline;
};

const lookMs = 50;

export function createDeadlines(): Deadlines {
  const open: Watched[] = [];
  let timer: NodeJS.Timeout | null = null;

  function look(): void {
    for (const one of [...open]) one.look();
    if (open.length > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  return {
    add(afterMs, late) {
      // Whoever waits for a statement has its connection open: the timer keeps no process alive.
      timer ??= setInterval(look, lookMs).unref();
      return new Watched(open, { afterMs, late });
    },
  };
}

class Watched implements Deadline {
  readonly #open: Watched[];
  readonly #afterMs: number;
  #late: (() => void) | null;
  #place: number;
  #looks = 0;

  constructor(open: Watched[], { afterMs, late }: { afterMs: number; late: () => void }) {
    this.#open = open;
    this.#afterMs = afterMs;
    this.#late = late;
    this.#place = open.push(this) - 1;
  }

  look(): void {
    // The first look may come right after the beginning.
    if (this.#looks * lookMs < this.#afterMs) this.#looks += 1;
    else {
      this.#looks = 1;
      this.#late?.();
    }
  }

  end(): void {
    if (this.#late === null) return;
    this.#late = null;
    const last = this.#open.pop();
    if (last === undefined || last === this) return;
    this.#open[this.#place] = last;
    last.#place = this.#place;
  }
}
