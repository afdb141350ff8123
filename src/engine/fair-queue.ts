/** Of a model, unless the operator says something else. */
export const defaultWaiting = { maxQueue: 1_000, capacityWaitMs: 55_000 };

/** Later arrivals may be taken before a request this often, because their scope has fewer running. */
const mostTimesPassedOver = 32;

type Queued<Request> = { request: Request; passedOver: number };

/** Counts the requests that run by scope, for `shift`. */
export function runningByScope(running: Iterable<{ readonly scope: string }>): (scope: string) => number {
  const counts = new Map<string, number>();
  for (const { scope } of running) counts.set(scope, (counts.get(scope) ?? 0) + 1);
  return (scope) => counts.get(scope) ?? 0;
}

/** Requests that wait for a sequence, or for a serving route. Scopes (accounts) take turns. Pure. */
export class FairQueue<Request extends { readonly id: number; readonly scope: string }> {
  #queued: Queued<Request>[] = [];

  get size(): number {
    return this.#queued.length;
  }

  push(request: Request): void {
    this.#queued.push({ request, passedOver: 0 });
  }

  /** false: it did not wait. */
  remove(id: number): boolean {
    const before = this.size;
    this.#queued = this.#queued.filter(({ request }) => request.id !== id);
    return this.size < before;
  }

  /**
   * Takes out, of the scope with the fewest running, the longest waiting request, unless another was passed over too
   * often: that one goes first, and its scope has had its turn, or all that it has queued would be late with it and go before the
   * others. null: nothing waits that may begin. `running`: how many requests of a scope run.
   */
  shift(running: (scope: string) => number, mayBegin: (request: Request) => boolean = () => true): Request | null {
    const due = this.#queued.filter(({ request }) => mayBegin(request));
    const runningBeside = ({ request }: Queued<Request>) => running(request.scope);
    const late = due.find(({ passedOver }) => passedOver >= mostTimesPassedOver);
    let chosen = late ?? due[0];
    if (chosen === undefined) return null;
    if (late === undefined) {
      for (const queued of due) if (runningBeside(queued) < runningBeside(chosen)) chosen = queued;
    }
    const place = this.#queued.indexOf(chosen);
    for (const queued of this.#queued.slice(0, place)) queued.passedOver += 1;
    this.#queued.splice(place, 1);
    if (late !== undefined) {
      for (const queued of this.#queued) if (queued.request.scope === late.request.scope) queued.passedOver = 0;
    }
    return chosen.request;
  }
}

type Waiting = { id: number; scope: string; begin: () => void; fail: (error: unknown) => void };

/** Lets one piece of work run at a time. Scopes (accounts) take turns, however much one of them has sent. */
export class FairSemaphore {
  readonly #queue = new FairQueue<Waiting>();
  readonly #waiting = new Set<Waiting>();
  /** When a scope had its last turn. */
  readonly #lastTurns = new Map<string, number>();
  #turns = 0;
  #lastId = 0;
  #isBusy = false;
  #closed: (() => Error) | null = null;

  /** Rejects with the signal's reason when the caller leaves; work that has begun goes on without him. */
  async run<Result>(scope: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    signal.throwIfAborted();
    if (this.#closed) throw this.#closed();
    const { promise, resolve, reject } = Promise.withResolvers<Result>();
    const waiting: Waiting = {
      id: ++this.#lastId,
      scope,
      begin: () => {
        void work()
          .then(resolve, reject)
          .finally(() => {
            this.#isBusy = false;
            this.#next();
          });
      },
      fail: (error) => {
        this.#queue.remove(waiting.id);
        reject(error);
      },
    };
    const leave = () => waiting.fail(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    this.#waiting.add(waiting);
    this.#queue.push(waiting);
    this.#next();
    try {
      return await promise;
    } finally {
      this.#waiting.delete(waiting);
      signal.removeEventListener('abort', leave);
    }
  }

  /** Refuses what waits, what runs and what comes. */
  close(error: () => Error): void {
    this.#closed = error;
    for (const waiting of this.#waiting) waiting.fail(error());
  }

  #next(): void {
    if (this.#isBusy) return;
    const next = this.#queue.shift((scope) => this.#lastTurns.get(scope) ?? 0);
    if (next === null) {
      this.#lastTurns.clear();
      return;
    }
    this.#turns += 1;
    this.#lastTurns.set(next.scope, this.#turns);
    this.#isBusy = true;
    next.begin();
  }
}
