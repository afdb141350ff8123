/** Callers that wait for one event, each for a bounded time and only as long as it stays. */
export class Waiters<Value> {
  readonly #waiting = new Set<{ resolve: (value: Value) => void; reject: (error: unknown) => void }>();

  get size(): number {
    return this.#waiting.size;
  }

  /** Rejects with the signal's reason when the caller leaves, and with what `late` makes after `waitMs`. */
  wait(options: { signal: AbortSignal; waitMs: number; late: () => unknown }): Promise<Value> {
    const { signal, waitMs, late } = options;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        this.#waiting.delete(waiter);
      };
      const waiter = {
        resolve: (value: Value) => {
          end();
          resolve(value);
        },
        reject: (error: unknown) => {
          end();
          reject(error);
        },
      };
      const leave = () => waiter.reject(signal.reason);
      const timer = setTimeout(() => waiter.reject(late()), waitMs);
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.add(waiter);
    });
  }

  resolveAll(value: Value): void {
    for (const waiter of [...this.#waiting]) waiter.resolve(value);
  }

  rejectAll(error: unknown): void {
    for (const waiter of [...this.#waiting]) waiter.reject(error);
  }
}
