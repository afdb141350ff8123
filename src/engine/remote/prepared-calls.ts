import { type Clock, type Fault, fault } from '#kernel';
import type { Adapter, ChatPrompt, EmbeddingInputs } from '../port.ts';
import type { Wanted } from '../turns/admission.ts';
import type { RouteRuntime } from './route-runtime.ts';

export type RoutedCall = Wanted & {
  baseModelId: string;
  adapter: Adapter | null;
  /** Digest of the beginning of the prompt; '' where nothing is to be chosen by it. */
  prefix: string;
  /** Of the prompt, estimated. */
  tokens: number;
  /** Routes that have refused it. */
  tried?: ReadonlySet<RouteRuntime>;
  /** The last refusal. */
  refusal?: RouteRefusal | undefined;
};

/** A route did not take a call, and nothing of it can have run there. */
export class RouteRefusal {
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The engine is still loading its model. */
  readonly isLoading: boolean;

  constructor(
    reason: string,
    { retryAfterSeconds = null, isLoading = false }: Partial<Omit<RouteRefusal, 'reason'>> = {},
  ) {
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isLoading = isLoading;
  }
}

export function noRouteFault({ baseModelId, refusal }: RoutedCall, runtimes: readonly RouteRuntime[]): Fault {
  const up = runtimes.filter(({ allowsCall }) => allowsCall).length;
  const why = refusal ? ` The last refusal: ${refusal.reason}` : '';
  return fault(refusal?.isLoading ? 'model_warming' : 'capacity_unavailable', {
    retryAfterSeconds: refusal?.retryAfterSeconds ?? (up > 0 ? 1 : 5),
    internal: `No route of ${baseModelId} took the call; ${up} of ${runtimes.length} are up.${why}`,
  });
}

/** A call that waits to be run or released. */
export type PreparedCall = RoutedCall & {
  /** Where it runs; of a queued one, the route that has counted it. */
  runtime: RouteRuntime;
  /** Gives back its slot, or its place in the queue. */
  leave: () => void;
  isQueued: boolean;
  input: { chat: ChatPrompt } | { inputs: EmbeddingInputs; tokens: number };
};

/** Handles of remote calls begin with it, those of the local engine do not. */
export const handlePrefix = 'remote-';

const preparedMs = 60_000;
const expireEveryMs = 1_000;

/** Prepared calls by their handles. */
export class PreparedCalls {
  readonly #clock: Clock;
  /** The oldest first. */
  readonly #calls = new Map<string, PreparedCall & { untilMs: number }>();
  #lastId = 0;
  #expireAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(call: PreparedCall): string {
    this.#lastId += 1;
    const handle = `${handlePrefix}${this.#lastId}`;
    this.#calls.set(handle, { ...call, untilMs: this.#clock.monotonicMs() + preparedMs });
    return handle;
  }

  take(handle: string): PreparedCall {
    const call = this.#calls.get(handle);
    this.#calls.delete(handle);
    if (call) return call;
    const message = 'The prompt waited too long for its run.';
    throw fault('capacity_unavailable', { message, retryAfterSeconds: 1 });
  }

  release(handle: string): void {
    this.#calls.get(handle)?.leave();
    this.#calls.delete(handle);
  }

  releaseExpired(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#expireAtMs) return;
    this.#expireAtMs = nowMs + expireEveryMs;
    for (const [handle, { untilMs }] of this.#calls) {
      if (untilMs > nowMs) break;
      this.release(handle);
    }
  }
}
