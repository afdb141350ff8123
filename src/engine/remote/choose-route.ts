/** What is known of a route when a call looks for one. */
export type Candidate = {
  id: string;
  weight: number;
  capacity: number;
  /** Calls that are there now. */
  calls: number;
  /** Tokens of those calls, prompts and most of what they may generate. */
  outstandingTokens: number;
  isUp: boolean;
  /** Its last answer was none: an error, or one that broke off. */
  isDoubtful: boolean;
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
 * The routes that a call may try, the best first. One whose last answer was none comes behind all others: it is the first to be rid
 * of its calls, and would get every one of them. Then those that have its adapter or know the beginning of its prompt, unless they are
 * far busier than another, then those with the fewest outstanding tokens for their weight.
 */
export function rankRoutes<Each extends Candidate>(candidates: readonly Each[]): Each[] {
  const cost = ({ outstandingTokens, weight, knowsPrefix, hasAdapter }: Each) =>
    outstandingTokens / weight - (knowsPrefix ? prefixWorthTokens : 0) - (hasAdapter ? adapterWorthTokens : 0);
  return candidates
    .filter(takesCalls)
    .sort(
      (a, b) =>
        Number(a.isDoubtful) - Number(b.isDoubtful) ||
        cost(a) - cost(b) ||
        a.calls / a.weight - b.calls / b.weight ||
        (a.id < b.id ? -1 : 1),
    );
}

export function takesCalls({ isUp, draining, calls, capacity }: Candidate): boolean {
  return isUp && !draining && calls < capacity;
}
