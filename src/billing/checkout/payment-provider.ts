import type { Micro } from '#kernel';
import type { Price } from '../pricing/packs.ts';
import type { Seen } from './checkout-state.ts';

export type PaymentRequest = {
  checkoutId: string;
  accountId: string;
  micro: Micro;
  price: Price;
  successUrl: string;
  cancelUrl: string;
};

/** A page of the provider where a checkout is paid. */
export type PaymentPage = { sessionId: string; url: string; expiresAt: Date };

/** What the provider knows of a payment. */
export type Payment = { sessionId: string; seen: Seen; price: Price | null };

/** Something that the provider told by itself. */
export type PaymentEvent = { id: string; type: string; payment: Payment };

/** Whoever takes the money. */
export type PaymentProvider = {
  /** Throws `service_unavailable` when the provider does not answer, `invalid_request` when it refuses the amount. */
  open: (request: PaymentRequest) => Promise<PaymentPage>;
  /** Null: the provider does not know it. Throws `service_unavailable`. */
  read: (sessionId: string) => Promise<Payment | null>;
  /** Ends an open payment; gives what became of it, which may be something else. Throws `service_unavailable`. */
  close: (sessionId: string) => Promise<Payment | null>;
  /** Reads a message of the provider; null: it is of no interest. Throws `invalid_request` unless the provider signed it. */
  readEvent: (body: Buffer, signature: string | undefined) => Promise<PaymentEvent | null>;
};
