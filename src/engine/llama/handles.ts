import type { Clock } from '#kernel';
import type { AdmittedRequest } from './admission.ts';
import type { ModelRuntime } from './runtime.ts';
import type { Session } from './session.ts';

/** A prompt that waits in a child for its run, with the place it keeps. */
export type PreparedRun = { runtime: ModelRuntime; session: Session; place: AdmittedRequest; promptTokens: number };

/** The child forgets its side after 60 s. */
const keptMs = 60_000;

/** Prepared prompts by handle. What nobody takes gives its place back when it expires. */
export class PreparedHandles {
  readonly #clock: Clock;
  readonly #waiting = new Map<string, PreparedRun & { untilMs: number }>();
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): string {
    this.#last += 1;
    return `p${this.#last}`;
  }

  add(handle: string, waiting: PreparedRun): void {
    this.#waiting.set(handle, { ...waiting, untilMs: this.#clock.monotonicMs() + keptMs });
  }

  take(handle: string): PreparedRun | undefined {
    const waiting = this.#waiting.get(handle);
    this.#waiting.delete(handle);
    return waiting;
  }

  release(handle: string): void {
    const waiting = this.take(handle);
    if (waiting === undefined) return;
    waiting.session.release(handle);
    waiting.place.free();
  }

  /** Called before each new request, so that forgotten prompts never keep anybody out. */
  releaseExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [handle, { untilMs, session, place }] of this.#waiting) {
      if (untilMs <= nowMs) this.release(handle);
      // The prompt died with its child, but its caller still learns that the model starts anew.
      else if (!session.alive) place.free();
    }
  }
}
