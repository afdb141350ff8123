/** Callers that wait for one event, each for a bounded time and only as long as it stays. */
export class Waiters<Value> {
  readonly #waiting = new Set<{ resolve: (value: Value) => void; reject: (error: unknown) => void }>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason when the caller leaves, and with what `late` makes after `waitMs`. */
  wait(options: { signal: AbortSignal; waitMs: number; late: () => unknown }): Promise<Value> {
    const { signal, waitMs, late } = options;
    const { promise, resolve, reject } = Promise.withResolvers<Value>();
    const waiter = { resolve, reject };
    const leave = () => reject(signal.reason);
    const timer = setTimeout(() => reject(late()), waitMs);
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
    this.#waiting.add(waiter);
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
      this.#waiting.delete(waiter);
    });
  }

  resolveAll(value: Value): void {
    for (const waiter of this.#waiting) waiter.resolve(value);
  }

  rejectAll(error: unknown): void {
    for (const waiter of this.#waiting) waiter.reject(error);
  }
}
