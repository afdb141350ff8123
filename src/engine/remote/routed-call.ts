import { type Fault, fault } from '#kernel';
import type { Adapter } from '../port.ts';
import type { Wanted } from '../turns/admission.ts';
import type { RouteRuntime } from './route-runtime.ts';

export type RoutedCall = Wanted & {
  baseModelId: string;
  adapter: Adapter | null;
  /** Of the beginning of the prompt; '' where engines keep none. */
  prefix: string;
  /** Of the prompt, about. */
  tokens: number;
  /** Have refused it already. */
  tried?: ReadonlySet<RouteRuntime>;
  /** What the last one of them said. */
  refused?: Elsewhere | undefined;
};

/** A route did not take the call, and nothing of it can have run there. */
export class Elsewhere {
  readonly reason: string;
  readonly retryAfterSeconds: number | null;
  /** The engine is still reading its model. */
  readonly isLoading: boolean;

  constructor(
    reason: string,
    { retryAfterSeconds = null, isLoading = false }: Partial<Omit<Elsewhere, 'reason'>> = {},
  ) {
    this.reason = reason;
    this.retryAfterSeconds = retryAfterSeconds;
    this.isLoading = isLoading;
  }
}

export function noRoute({ baseModelId, refused }: RoutedCall, runtimes: readonly RouteRuntime[]): Fault {
  const up = runtimes.filter(({ isTried }) => isTried).length;
  const why = refused ? ` The last said: ${refused.reason}` : '';
  return fault(refused?.isLoading ? 'model_warming' : 'capacity_unavailable', {
    retryAfterSeconds: refused?.retryAfterSeconds ?? (up > 0 ? 1 : 5),
    internal: `No route of ${baseModelId} took the call; ${up} of ${runtimes.length} are up.${why}`,
  });
}
