const maxFailures = 3;
const firstPauseMs = 1_000;
const maxPauseMs = 30_000;

/** Opens after some failures in a row. Then one call at a time is a trial, after pauses that grow, until a call or a health check succeeds. */
export class CircuitBreaker {
  #failures = 0;
  #lastError: string | null = null;
  /** Of the next trial; null: closed. */
  #retryAtMs: number | null = null;

  get isClosed(): boolean {
    return this.#retryAtMs === null;
  }

  get lastError(): string | null {
    return this.#lastError;
  }

  allowsCall(nowMs: number): boolean {
    return this.#retryAtMs === null || nowMs >= this.#retryAtMs;
  }

  /** Other calls wait for the outcome of a trial. */
  startCall(nowMs: number): void {
    if (this.#retryAtMs !== null) this.#retryAtMs = nowMs + firstPauseMs;
  }

  succeed(): void {
    this.#failures = 0;
    this.#lastError = null;
    this.#retryAtMs = null;
  }

  fail(error: string, nowMs: number): void {
    this.#failures += 1;
    this.#lastError = error;
    const doublings = this.#failures - maxFailures;
    if (doublings >= 0) this.#retryAtMs = nowMs + Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(doublings, 10));
  }
}
