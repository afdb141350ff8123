/** What makes lines of the log alike. */
export type Kind = {
  name: string;
  /** Stands in for the name while too many kinds are about; there are only a few of these. */
  wider: string;
  /** So many of a kind are told at once before others of it wait. */
  atOnce: number;
};

export type AlikeOptions<Line> = {
  /** `alike` further ones since the last line of this kind have no line of their own. */
  tell: (line: Line, alike: number) => void;
  nowMs: () => number;
  /** Calls back once. */
  later: (ms: number, run: () => void) => void;
  everyMs: number;
  mostKinds: number;
};

type Known<Line> = { untilMs: number; told: number; waiting: { first: Line; further: number } | null };

/**
 * Lets the first lines of a kind through, and of those that follow within a while one, when it is over. What comes in is
 * exactly the lines told and the numbers that they carry.
 */
export class Alike<Line> {
  readonly #options: AlikeOptions<Line>;
  readonly #known = new Map<string, Known<Line>>();
  #isAwaited = false;

  constructor(options: AlikeOptions<Line>) {
    this.#options = options;
  }

  take(kind: Kind, line: Line): void {
    const { nowMs, everyMs, tell } = this.#options;
    const now = nowMs();
    const name = this.#nameNow(kind, now);
    const known = this.#known.get(name);
    if (known === undefined || known.untilMs <= now) {
      this.#known.set(name, { untilMs: now + everyMs, told: 1, waiting: null });
      tell(line, known?.waiting ? known.waiting.further + 1 : 0);
    } else if (known.told < kind.atOnce) {
      known.told += 1;
      tell(line, 0);
    } else if (known.waiting) known.waiting.further += 1;
    else {
      known.waiting = { first: line, further: 0 };
      this.#await(known.untilMs - now);
    }
  }

  /** Tells what waits, at the end of the process. */
  end(): void {
    this.#tellUntil(Number.POSITIVE_INFINITY);
  }

  #nameNow({ name, wider }: Kind, now: number): string {
    if (this.#known.has(name) || this.#known.size < this.#options.mostKinds) return name;
    for (const [each, { untilMs, waiting }] of this.#known) {
      if (untilMs <= now && waiting === null) this.#known.delete(each);
    }
    return this.#known.size < this.#options.mostKinds ? name : wider;
  }

  #await(ms: number): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#options.later(ms, () => {
      this.#isAwaited = false;
      const now = this.#options.nowMs();
      this.#tellUntil(now);
      const next = [...this.#known.values()].filter(({ waiting }) => waiting).map(({ untilMs }) => untilMs);
      if (next.length > 0) this.#await(Math.min(...next) - now);
    });
  }

  #tellUntil(untilMs: number): void {
    const { nowMs, everyMs, tell } = this.#options;
    for (const known of this.#known.values()) {
      const { waiting } = known;
      if (waiting === null || known.untilMs > untilMs) continue;
      Object.assign(known, { untilMs: nowMs() + everyMs, told: 1, waiting: null });
      tell(waiting.first, waiting.further);
    }
  }
}
