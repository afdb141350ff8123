/** What makes lines of the log similar. */
export type LogKind = {
  name: string;
  /** Stands in for the name while there are too many kinds; there are only a few of these. */
  wider: string;
  /** So many of a kind are logged at once before others of it wait. */
  atOnce: number;
};

export type LogThrottleOptions<Line> = {
  /** `similar` further ones since the last line of this kind have no line of their own. */
  log: (line: Line, similar: number) => void;
  everyMs: number;
  nowMs?: () => number;
  /** Calls back once. */
  later?: (ms: number, run: () => void) => void;
  mostKinds?: number;
};

type KindState<Line> = { untilMs: number; logged: number; waiting: { first: Line; further: number } | null };

/**
 * Logs the first lines of a kind, and of those that follow within a while one, when it is over. What comes in is exactly the lines
 * that are logged and the numbers that they carry.
 */
export class LogThrottle<Line> {
  readonly #options: Required<LogThrottleOptions<Line>>;
  readonly #kinds = new Map<string, KindState<Line>>();
  #isScheduled = false;

  constructor(options: LogThrottleOptions<Line>) {
    const later = (ms: number, run: () => void) => void setTimeout(run, ms).unref();
    this.#options = { nowMs: () => performance.now(), later, mostKinds: 200, ...options };
  }

  take(kind: LogKind, line: Line): void {
    const { nowMs, everyMs, log } = this.#options;
    const now = nowMs();
    const name = this.#nameOf(kind, now);
    const state = this.#kinds.get(name);
    if (state === undefined || state.untilMs <= now) {
      this.#kinds.set(name, { untilMs: now + everyMs, logged: 1, waiting: null });
      log(line, state?.waiting ? state.waiting.further + 1 : 0);
    } else if (state.logged < kind.atOnce) {
      state.logged += 1;
      log(line, 0);
    } else if (state.waiting) state.waiting.further += 1;
    else {
      state.waiting = { first: line, further: 0 };
      this.#schedule(state.untilMs - now);
    }
  }

  /** Logs what waits, at the end of the process. */
  flush(): void {
    this.#logUntil(Number.POSITIVE_INFINITY);
  }

  #nameOf({ name, wider }: LogKind, now: number): string {
    if (this.#kinds.has(name) || this.#kinds.size < this.#options.mostKinds) return name;
    for (const [each, { untilMs, waiting }] of this.#kinds) {
      if (untilMs <= now && waiting === null) this.#kinds.delete(each);
    }
    return this.#kinds.size < this.#options.mostKinds ? name : wider;
  }

  #schedule(ms: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#options.later(ms, () => {
      this.#isScheduled = false;
      const now = this.#options.nowMs();
      this.#logUntil(now);
      const next = [...this.#kinds.values()].filter(({ waiting }) => waiting).map(({ untilMs }) => untilMs);
      if (next.length > 0) this.#schedule(Math.min(...next) - now);
    });
  }

  #logUntil(untilMs: number): void {
    const { nowMs, everyMs, log } = this.#options;
    for (const state of this.#kinds.values()) {
      const { waiting } = state;
      if (waiting === null || state.untilMs > untilMs) continue;
      Object.assign(state, { untilMs: nowMs() + everyMs, logged: 1, waiting: null });
      log(waiting.first, waiting.further);
    }
  }
}
