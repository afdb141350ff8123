import { BriefMap, type Clock, fault } from '#kernel';
import type { ChatPrompt, EmbeddingInputs } from '../port.ts';
import type { RouteRuntime } from './route-runtime.ts';
import type { RoutedCall } from './routed-call.ts';

/** A call that has its place, and waits to be run or released. */
export type WaitingCall = RoutedCall & {
  /** Where it runs; of one in line, who has counted it. */
  runtime: RouteRuntime;
  leave: () => void;
  /** Its place is in line: it has to wait for its turn. */
  isInLine: boolean;
  what: { chat: ChatPrompt } | { inputs: EmbeddingInputs; tokens: number };
};

/** Handles of this engine begin with it, and those of our own engine do not. */
export const handlePrefix = 'remote-';

const keptMs = 60_000;
const lookEveryMs = 1_000;

/** Calls by their handles. */
export class WaitingCalls {
  readonly #clock: Clock;
  readonly #waiting = new BriefMap<string, WaitingCall & { untilMs: number }>();
  #last = 0;
  #lookAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  keep(call: WaitingCall): string {
    this.#last += 1;
    const handle = `${handlePrefix}${this.#last}`;
    this.#waiting.set(handle, { ...call, untilMs: this.#clock.monotonicMs() + keptMs });
    return handle;
  }

  takeBack(handle: string): WaitingCall {
    const call = this.#waiting.delete(handle);
    if (call) return call;
    const message = 'The prompt waited too long for its run.';
    throw fault('capacity_unavailable', { message, retryAfterSeconds: 1 });
  }

  release(handle: string): void {
    this.#waiting.delete(handle)?.leave();
  }

  forgetExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#lookAtMs) return;
    this.#lookAtMs = nowMs + lookEveryMs;
    for (const [handle, { untilMs }] of this.#waiting.entries()) {
      if (untilMs > nowMs) break;
      this.release(handle);
    }
  }
}
