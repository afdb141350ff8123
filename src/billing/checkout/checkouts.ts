import { recordActivity, systemActor } from '#activity';
import type { Database, Sql } from '#db';
import { type Clock, fault, formatCredits, isId, type Log, type Micro, newId } from '#kernel';
import { insertGrant } from '../ledger.store.ts';
import { type CreditPack, describeCredits, formatAmount, type Price, priceOfCredits } from '../pricing/packs.ts';
import { nextState, seenOfForgotten } from './checkout-state.ts';
import {
  type Checkout,
  claimCheck,
  countCheckoutAttempt,
  findCheckout,
  insertCheckout,
  insertPaymentEvent,
  lockCheckoutOf,
  removeCheckoutAttempt,
  updateCheckoutState,
} from './checkouts.store.ts';
import type { Payment, PaymentEvent, PaymentPage, PaymentProvider } from './payment-provider.ts';

export type CheckoutDeps = {
  database: Database;
  /** Null: nothing is sold here. */
  provider: PaymentProvider | null;
  packs: readonly CreditPack[];
  /** Price of one credit; null: only packs are sold. */
  creditPrice: Price | null;
  /** Told which account has got credits. */
  onPurchase: (accountId: string) => void;
  clock: Clock;
  log?: Log;
};

export type Order = { accountId: string; packId: string | null; micro: Micro | null; urls: (id: string) => ReturnUrls };
type ReturnUrls = { successUrl: string; cancelUrl: string };

const mostAnHour = 30;
const pollPauseMs = 3_000;

/**
 * Opens a checkout. The provider's page comes first and the row after it, so that nothing slow happens in the
 * transaction that an `Idempotency-Key` brings; a page whose row was never written is one that nobody was sent to.
 *
 * @param sql where the row is written.
 */
export async function openCheckout(deps: CheckoutDeps, sql: Sql, order: Order): Promise<Checkout> {
  const provider = requireProvider(deps);
  const { accountId, packId } = order;
  const { micro, price } = goodsOf(deps, order);
  const id = newId('chk');
  const page = await withinLimit(deps, accountId, () =>
    provider.open({ checkoutId: id, accountId, micro, price, ...order.urls(id) }),
  );
  return insertCheckout(sql, { id, accountId, micro, packId, price, ...page });
}

/** Opens a page of the provider if there may be one more; one that was not opened does not count. */
async function withinLimit(
  { database, log }: CheckoutDeps,
  accountId: string,
  open: () => Promise<PaymentPage>,
): Promise<PaymentPage> {
  const attemptedAt = await countCheckoutAttempt(database, accountId, mostAnHour);
  if (attemptedAt === null)
    throw fault('rate_limited', {
      message: `An account may open ${mostAnHour} checkouts an hour.`,
      retryAfterSeconds: 60,
    });
  try {
    return await open();
  } catch (error) {
    await removeCheckoutAttempt(database, accountId, attemptedAt).catch((err: unknown) =>
      log?.warn({ err, account: accountId }, 'a checkout that was not opened counts for an hour'),
    );
    throw error;
  }
}

function requireProvider({ provider }: CheckoutDeps): PaymentProvider {
  if (provider) return provider;
  throw fault('state_conflict', {
    message: 'Credits are not sold here; the operator grants them.',
    details: { reason: 'checkout_disabled' },
  });
}

function goodsOf({ packs, creditPrice }: CheckoutDeps, { packId, micro }: Order): { micro: Micro; price: Price } {
  if (packId !== null) {
    const pack = packs.find(({ id }) => id === packId);
    if (pack) return pack;
    throw fault('invalid_request', { message: 'pack_id: there is no such pack.', param: 'pack_id' });
  }
  if (micro === null) throw fault('invalid_request', { message: 'pack_id: send it, or credits.', param: 'pack_id' });
  if (creditPrice === null)
    throw fault('invalid_request', { message: 'credits: only packs are sold here.', param: 'credits' });
  return { micro, price: priceOfCredits(micro, creditPrice) };
}

/**
 * A checkout of the account. While it is in flight the provider is asked, in case it could not tell by itself; if it does
 * not answer either, what is known is told. Throws `not_found`.
 */
export async function readCheckout(deps: CheckoutDeps, address: { id: string; accountId: string }): Promise<Checkout> {
  const checkout = await requireCheckout(deps, address);
  const { provider, database } = deps;
  if (!provider || !isInFlight(checkout) || !(await claimCheck(database, checkout.id, pollPauseMs))) return checkout;
  return (await check(deps, provider, checkout)) ?? checkout;
}

/** Ends a checkout that nobody has paid. Throws `not_found`, and `state_conflict` when it is too late. */
export async function cancelCheckout(
  deps: CheckoutDeps,
  address: { id: string; accountId: string },
): Promise<Checkout> {
  const checkout = await requireCheckout(deps, address);
  if (checkout.state === 'canceled') return checkout;
  if (checkout.state !== 'open') throw tooLate(checkout);
  const payment = await requireProvider(deps).close(checkout.sessionId);
  const after = await deps.database.transaction(async (tx) => {
    const locked = await lockCheckoutOf(tx, checkout.sessionId);
    const isGone = payment === null || payment.seen === 'expired';
    if (locked?.state === 'open' && isGone) return updateCheckoutState(tx, locked.id, 'canceled');
    return locked && payment ? advance(tx, locked, payment) : locked;
  });
  if (after?.state === 'completed') deps.onPurchase(after.accountId);
  if (after?.state === 'canceled') return after;
  throw tooLate(after ?? checkout);
}

/** Takes a message of the provider; one of a checkout that is not ours does nothing. */
export async function takeEvent(deps: CheckoutDeps, event: PaymentEvent): Promise<Checkout | null> {
  return observe(deps, event.payment, event);
}

/** Asks the provider what became of a checkout; null when that cannot be learnt now, which is logged. */
export async function check(
  deps: CheckoutDeps,
  provider: PaymentProvider,
  { id, state, sessionId, expiresAt }: Checkout,
): Promise<Checkout | null> {
  try {
    const payment = await provider.read(sessionId);
    if (payment) return await observe(deps, payment, null);
    // The provider has forgotten it, or other keys are configured now.
    const seen = seenOfForgotten(state, deps.clock.nowMs() - expiresAt.getTime());
    return seen && (await observe(deps, { sessionId, seen, price: null }, null));
  } catch (error) {
    deps.log?.warn({ err: error, checkout: id }, 'a checkout could not be compared with the payment provider');
    return null;
  }
}

async function observe(
  { database, onPurchase }: CheckoutDeps,
  payment: Payment,
  event: PaymentEvent | null,
): Promise<Checkout | null> {
  const checkout = await database.transaction(async (tx) => {
    const locked = await lockCheckoutOf(tx, payment.sessionId);
    if (!locked) return null;
    const isNew = event === null || (await insertPaymentEvent(tx, { ...event, checkoutId: locked.id }));
    return isNew ? advance(tx, locked, payment) : locked;
  });
  if (checkout?.state === 'completed') onPurchase(checkout.accountId);
  return checkout;
}

/** Moves a locked checkout on; the credits come in the same transaction as the state that says so. */
async function advance(tx: Sql, checkout: Checkout, payment: Payment): Promise<Checkout> {
  const state = nextState(checkout.state, payment.seen);
  if (state === checkout.state) return checkout;
  if (state === 'completed') await deliver(tx, checkout, payment);
  return updateCheckoutState(tx, checkout.id, state);
}

async function deliver(tx: Sql, { id, accountId, micro, price }: Checkout, payment: Payment): Promise<void> {
  if (payment.price?.minorUnits !== price.minorUnits || payment.price.currency !== price.currency)
    throw new Error(`The payment ${payment.sessionId} is not over the price of ${id}.`);
  const credits = formatCredits(micro);
  const balance = await insertGrant(tx, { accountId, micro, note: describeCredits(micro), onceKey: id }, 'purchase');
  if (balance === null) throw new Error(`There is no account ${accountId}. This is a bug.`);
  await recordActivity(tx, {
    accountId,
    type: 'credits.purchased',
    severity: 'success',
    actor: systemActor,
    subject: { kind: 'checkout', id, label: describeCredits(micro) },
    message: `${describeCredits(micro)} were bought.`,
    data: {
      credits,
      price: { amount: formatAmount(price), currency: price.currency },
      balance: formatCredits(balance),
    },
  });
}

async function requireCheckout({ database }: CheckoutDeps, address: { id: string; accountId: string }) {
  const checkout = isId('chk', address.id) ? await findCheckout(database, address) : null;
  if (checkout) return checkout;
  throw fault('not_found', { message: 'There is no such checkout.' });
}

function isInFlight({ state }: Checkout): boolean {
  return state === 'open' || state === 'processing';
}

function tooLate({ state }: Checkout) {
  return fault('state_conflict', {
    message: 'This checkout is not open any more.',
    details: { state, allowed_from: ['open'] },
  });
}
