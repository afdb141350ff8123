/** A route as seen by a call that looks for one. */
export type RouteCandidate = {
  id: string;
  weight: number;
  capacity: number;
  /** Calls that it has now. */
  calls: number;
  /** Tokens of those calls, prompts and most of what they may generate. */
  outstandingTokens: number;
  isUp: boolean;
  /** Its last answer was an error, or broke off. */
  lastCallFailed: boolean;
  draining: boolean;
  /** Whether it has seen the beginning of this prompt before. */
  knowsPrefix: boolean;
  /** Whether it has the adapter that the call needs. */
  hasAdapter: boolean;
};

/** A known prefix is worth this many tokens of waiting. */
const prefixWorthTokens = 4_096;
/** And so is an adapter that need not be loaded, and push another one out. */
const adapterWorthTokens = 16_384;

/**
 * The routes that a call may try, the best first. One whose last answer failed comes behind all others: it is the first to be rid
 * of its calls, and would get every one of them. Then those that have its adapter or know the beginning of its prompt, unless they are
 * far busier than another, then those with the fewest outstanding tokens for their weight.
 */
export function rankRoutes<Candidate extends RouteCandidate>(candidates: readonly Candidate[]): Candidate[] {
  const cost = ({ outstandingTokens, weight, knowsPrefix, hasAdapter }: Candidate) =>
    outstandingTokens / weight - (knowsPrefix ? prefixWorthTokens : 0) - (hasAdapter ? adapterWorthTokens : 0);
  return candidates
    .filter(takesCalls)
    .sort(
      (a, b) =>
        Number(a.lastCallFailed) - Number(b.lastCallFailed) ||
        cost(a) - cost(b) ||
        a.calls / a.weight - b.calls / b.weight ||
        (a.id < b.id ? -1 : 1),
    );
}

export function takesCalls({ isUp, draining, calls, capacity }: RouteCandidate): boolean {
  return isUp && !draining && calls < capacity;
}
