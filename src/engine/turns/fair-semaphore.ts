import { FairQueue } from './fair-queue.ts';

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
  run<Result>(scope: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      if (this.#closed) throw this.#closed();
      const leave = () => waiting.fail(signal.reason);
      const settle = () => {
        this.#waiting.delete(waiting);
        signal.removeEventListener('abort', leave);
      };
      const waiting: Waiting = {
        id: ++this.#lastId,
        scope,
        begin: () => {
          void work()
            .then(resolve, reject)
            .finally(() => {
              settle();
              this.#isBusy = false;
              this.#next();
            });
        },
        fail: (error) => {
          this.#queue.remove(waiting.id);
          settle();
          reject(error);
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiting);
      this.#queue.push(waiting);
      this.#next();
    });
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
