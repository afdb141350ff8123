export const checkoutStates = ['open', 'processing', 'completed', 'failed', 'canceled', 'expired'] as const;
export type CheckoutState = (typeof checkoutStates)[number];

/** What the provider says about the payment at some time; what arrives later may be older. */
export type Seen = 'open' | 'processing' | 'paid' | 'failed' | 'expired';

/**
 * The state after something was seen. Money decides: what was paid is completed, whatever was believed before, and stays
 * so. Everything else only moves forward, because what is told may come twice and in any order.
 */
export function nextState(state: CheckoutState, seen: Seen): CheckoutState {
  if (state === 'completed' || seen === 'paid') return 'completed';
  if (seen === 'processing') return state === 'open' ? 'processing' : state;
  if (seen === 'failed') return state === 'open' || state === 'processing' ? 'failed' : state;
  if (seen === 'expired') return state === 'open' ? 'expired' : state;
  return state;
}
