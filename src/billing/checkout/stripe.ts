import type { Stripe } from 'stripe';
import { fault, messageOf } from '#kernel';
import { describeCredits } from '../pricing/packs.ts';
import type { Seen } from './checkout-state.ts';
import type { Payment, PaymentProvider, PaymentRequest } from './payment-provider.ts';

export type StripeSettings = {
  secretKey: string;
  webhookSecret: string;
  /** Where the API is, without a path. */
  apiUrl: string;
};

type Session = Stripe.Checkout.Session;

const timeoutMs = 10_000;
const retries = 2;
const retryAfterSeconds = 5;
const seenInEvent: Partial<Record<string, Seen | 'session'>> = {
  'checkout.session.completed': 'session',
  'checkout.session.async_payment_succeeded': 'session',
  'checkout.session.async_payment_failed': 'failed',
  'checkout.session.expired': 'expired',
};

/** Stripe Checkout. The library is loaded when the first payment needs it: most installations never do. */
export function createStripe({ secretKey, webhookSecret, apiUrl }: StripeSettings): PaymentProvider {
  const { hostname: host, port, protocol } = new URL(apiUrl);
  let loading: Promise<Stripe> | null = null;

  function client(): Promise<Stripe> {
    loading ??= import('stripe').then(
      ({ default: Library }) =>
        new Library(secretKey, {
          host,
          ...(port === '' ? {} : { port }),
          protocol: protocol === 'http:' ? 'http' : 'https',
          timeout: timeoutMs,
          maxNetworkRetries: retries,
          telemetry: false,
        }),
    );
    return loading;
  }

  async function read(sessionId: string): Promise<Payment | null> {
    const { checkout } = await client();
    // The intent tells whether a payment that takes days has failed; the session alone does not.
    const session = await asking(checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] }));
    return session && { ...paymentOf(session), seen: seenIn(session) };
  }

  return {
    read,

    async open(request) {
      const { checkout } = await client();
      const session = await asking(
        checkout.sessions.create(sessionOf(request), { idempotencyKey: request.checkoutId }),
      );
      if (!session?.url) throw unavailable(new Error('The payment provider gave no page.'));
      return { sessionId: session.id, url: session.url, expiresAt: new Date(session.expires_at * 1_000) };
    },

    async close(sessionId) {
      const { checkout } = await client();
      try {
        const session = await checkout.sessions.expire(sessionId);
        return { ...paymentOf(session), seen: seenIn(session) };
      } catch (error) {
        // It is open no more: what it is instead decides.
        if (isRefusal(error)) return read(sessionId);
        throw unavailable(error);
      }
    },

    async readEvent(body, signature) {
      const { webhooks } = await client();
      let event: Stripe.Event;
      try {
        event = webhooks.constructEvent(body, signature ?? '', webhookSecret);
      } catch (cause) {
        throw fault('invalid_request', { message: whyNotTaken(cause), cause });
      }
      const seen = seenInEvent[event.type];
      if (seen === undefined) return null;
      // as: these types of events carry a session.
      const session = event.data.object as Session;
      const payment = { ...paymentOf(session), seen: seen === 'session' ? seenIn(session) : seen };
      return { id: event.id, type: event.type, payment };
    },
  };
}

/** Read by the operator, where the provider shows him what became of its messages. */
function whyNotTaken(error: unknown): string {
  const isLate = messageOf(error).includes('outside the tolerance zone');
  if (isLate) return 'This message was signed more than five minutes ago, by the clock of this server.';
  return 'This message is not signed with the secret of the webhook.';
}

function sessionOf({ checkoutId, accountId, micro, price, successUrl, cancelUrl }: PaymentRequest) {
  const metadata = { checkout_id: checkoutId, account_id: accountId };
  return {
    mode: 'payment' as const,
    client_reference_id: checkoutId,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: price.currency.toLowerCase(),
          unit_amount: Number(price.minorUnits),
          product_data: { name: describeCredits(micro) },
        },
      },
    ],
    success_url: successUrl,
    cancel_url: cancelUrl,
  };
}

function paymentOf({ id, amount_subtotal: amount, currency }: Session): Omit<Payment, 'seen'> {
  const isPriced = typeof amount === 'number' && typeof currency === 'string';
  return {
    sessionId: id,
    price: isPriced ? { minorUnits: BigInt(amount), currency: currency.toUpperCase() } : null,
  };
}

function seenIn({ status, payment_status: paid, payment_intent: intent }: Session): Seen {
  if (paid === 'paid' || paid === 'no_payment_required') return 'paid';
  if (status === 'open') return 'open';
  if (status === 'expired') return 'expired';
  const ended = typeof intent === 'object' && ['requires_payment_method', 'canceled'].includes(intent?.status ?? '');
  return ended ? 'failed' : 'processing';
}

/** Null: there is no such thing. */
async function asking<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (!isRefusal(error)) throw unavailable(error);
    if (error.code === 'resource_missing') return null;
    if (error.code === 'amount_too_small' || error.code === 'amount_too_large')
      throw fault('invalid_request', { message: `credits: ${error.message}`, param: 'credits', cause: error });
    throw unavailable(error);
  }
}

type Refusal = Error & { type: 'StripeInvalidRequestError'; code?: string };

function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'type' in error && error.type === 'StripeInvalidRequestError';
}

function unavailable(cause: unknown) {
  return fault('service_unavailable', {
    message: 'The payment provider cannot be reached at present.',
    retryAfterSeconds,
    cause,
  });
}
