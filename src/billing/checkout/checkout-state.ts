export const checkoutStates = ['open', 'processing', 'completed', 'failed', 'canceled', 'expired'] as const;
export type CheckoutState = (typeof checkoutStates)[number];

/** What the provider says about the payment at some time; what arrives later may be older. */
export type Seen = 'open' | 'processing' | 'paid' | 'failed' | 'expired';

/**
 * The state after something was seen. Money decides: what was paid is completed, whatever was believed before, and stays
 * so. Everything else only moves forward, because what is told may come twice and in any order.
 */
export function nextState(state: CheckoutState, seen: Seen): CheckoutState {
  if (seen === 'paid') return 'completed';
  if (seen === 'processing') return state === 'open' ? 'processing' : state;
  if (seen === 'failed') return state === 'open' || state === 'processing' ? 'failed' : state;
  if (seen === 'expired') return state === 'open' ? 'expired' : state;
  return state;
}

/** No bank takes longer. */
const longestPaymentMs = 30 * 24 * 3_600_000;

/**
 * What counts as seen of a checkout in flight that the provider does not know any more, so long after its page was closed:
 * nobody has paid it, or the bank has refused. Null: it is too early to give it up. Money that comes all the same still counts.
 */
export function seenOfForgotten(state: CheckoutState, sinceClosedMs: number): Seen | null {
  if (sinceClosedMs <= 0) return null;
  if (state !== 'processing') return 'expired';
  return sinceClosedMs > longestPaymentMs ? 'failed' : null;
}
