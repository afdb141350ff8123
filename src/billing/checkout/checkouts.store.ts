import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { Price } from '../pricing/packs.ts';
import type { CheckoutState } from './checkout-state.ts';

export type Checkout = {
  id: string;
  accountId: string;
  state: CheckoutState;
  micro: Micro;
  packId: string | null;
  price: Price;
  sessionId: string;
  url: string;
  createdAt: Date;
  expiresAt: Date;
  completedAt: Date | null;
};

type CheckoutRow = Omit<Checkout, 'price'> & { priceMinor: bigint; currency: string };

const columns = `id, account_id as "accountId", state, micro, pack_id as "packId", price_minor as "priceMinor", currency,
  provider_session_id as "sessionId", url, created_at as "createdAt", expires_at as "expiresAt",
  completed_at as "completedAt"`;

export async function insertCheckout(
  sql: Sql,
  checkout: Omit<Checkout, 'state' | 'createdAt' | 'completedAt'>,
): Promise<Checkout> {
  const [row] = await sql.query<CheckoutRow>(
    `insert into checkouts (id, account_id, micro, pack_id, price_minor, currency, provider, provider_session_id, url,
                            expires_at)
     values ($1, $2, $3, $4, $5, $6, 'stripe', $7, $8, $9) returning ${columns}`,
    [
      checkout.id,
      checkout.accountId,
      checkout.micro,
      checkout.packId,
      checkout.price.minorUnits,
      checkout.price.currency,
      checkout.sessionId,
      checkout.url,
      checkout.expiresAt,
    ],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  return checkoutOf(row);
}

export async function findCheckout(
  sql: Sql,
  { id, accountId }: { id: string; accountId: string },
): Promise<Checkout | null> {
  const rows = await sql.query<CheckoutRow>(`select ${columns} from checkouts where id = $1 and account_id = $2`, [
    id,
    accountId,
  ]);
  return firstOf(rows);
}

/**
 * Counts one more checkout that an account opens, in one statement; those of more than an hour ago are forgotten. Gives its
 * time, for `removeCheckoutAttempt`; null: there were as many as there may be.
 */
export async function countCheckoutAttempt(sql: Sql, accountId: string, mostAnHour: number): Promise<string | null> {
  const [row] = await sql.query<{ attemptedAt: string }>(
    `insert into checkout_attempts as known (account_id, attempted_at) values ($1, array[clock_timestamp()])
     on conflict (account_id) do update
        set attempted_at = array(select each from unnest(known.attempted_at) each where each > now() - interval '1 hour')
                        || excluded.attempted_at
      where (select count(*) from unnest(known.attempted_at) each where each > now() - interval '1 hour') < $2
     returning attempted_at[cardinality(attempted_at)]::text as "attemptedAt"`,
    [accountId, mostAnHour],
  );
  return row?.attemptedAt ?? null;
}

/** For a checkout that could not be opened. */
export async function removeCheckoutAttempt(sql: Sql, accountId: string, attemptedAt: string): Promise<void> {
  await sql.query(
    `update checkout_attempts
        set attempted_at = attempted_at[:array_position(attempted_at, $2::timestamptz) - 1]
                        || attempted_at[array_position(attempted_at, $2::timestamptz) + 1:]
      where account_id = $1 and $2::timestamptz = any(attempted_at)`,
    [accountId, attemptedAt],
  );
}

/** Locks the checkout of a payment until the transaction ends; null: it is not one of ours. */
export async function lockCheckoutOf(tx: Sql, sessionId: string): Promise<Checkout | null> {
  const rows = await tx.query<CheckoutRow>(
    `select ${columns} from checkouts where provider = 'stripe' and provider_session_id = $1 for no key update`,
    [sessionId],
  );
  return firstOf(rows);
}

export async function updateCheckoutState(tx: Sql, id: string, state: CheckoutState): Promise<Checkout> {
  const rows = await tx.query<CheckoutRow>(
    `update checkouts set state = $2, completed_at = case when $2 = 'completed' then now() end
      where id = $1 returning ${columns}`,
    [id, state],
  );
  const checkout = firstOf(rows);
  if (!checkout) throw new Error(`The checkout ${id} is gone. This is a bug.`);
  return checkout;
}

/** False: this event was told before. */
export async function insertPaymentEvent(
  tx: Sql,
  event: { id: string; type: string; checkoutId: string },
): Promise<boolean> {
  const rows = await tx.query(
    `insert into payment_events (id, type, checkout_id) values ($1, $2, $3) on conflict (id) do nothing returning id`,
    [event.id, event.type, event.checkoutId],
  );
  return rows.length > 0;
}

/** True for one asker in `pauseMs`: he is to ask the provider about this checkout, which is in flight. */
export async function claimCheck(sql: Sql, id: string, pauseMs: number): Promise<boolean> {
  const rows = await sql.query(
    `update checkouts set checked_at = now()
      where id = $1 and state in ('open', 'processing')
        and checked_at <= now() - make_interval(secs => $2::float8 / 1000)
      returning id`,
    [id, pauseMs],
  );
  return rows.length > 0;
}

/** The next checkouts in flight about which the provider was not asked for `pauseMs`; nobody else gets them now. */
export async function claimDueChecks(
  sql: Sql,
  { pauseMs, limit }: { pauseMs: number; limit: number },
): Promise<Checkout[]> {
  const rows = await sql.query<CheckoutRow>(
    `update checkouts set checked_at = now()
      where id in (
        select id from checkouts
         where state in ('open', 'processing') and checked_at <= now() - make_interval(secs => $1::float8 / 1000)
         order by checked_at limit $2 for no key update skip locked)
     returning ${columns}`,
    [pauseMs, limit],
  );
  return rows.map(checkoutOf);
}

/** Purchases without their completed checkout, and the other way round. */
export async function listPurchaseDiscrepancies(
  sql: Sql,
): Promise<{ accountId: string; subject: string; message: string }[]> {
  return sql.query(
    `select coalesce(bought.account_id, paid.account_id) as "accountId", coalesce(bought.request_id, paid.id) as subject,
            format('%s micro-credits were bought, the checkout was completed for %s',
              coalesce(bought.micro::text, 'no'), coalesce(paid.micro::text, 'none')) as message
       from (select account_id, request_id, micro from ledger where type = 'purchase'
             union
             -- Those whose month is gone from the ledger.
             select account_id, request_id, once.micro
               from ledger_once once join checkouts on checkouts.id = once.request_id
               join ledger_partition_balances using (account_id)
              where once.type = 'purchase' and once.seq <= ledger_partition_balances.seq) bought
       full join (select account_id, id, micro from checkouts where state = 'completed') paid
         on paid.id = bought.request_id and paid.account_id = bought.account_id
      where bought.micro is distinct from paid.micro
      limit 1000`,
    [],
    { timeoutMs: 30 * 60_000 },
  );
}

function firstOf([row]: readonly CheckoutRow[]): Checkout | null {
  return row ? checkoutOf(row) : null;
}

function checkoutOf({ priceMinor: minorUnits, currency, ...row }: CheckoutRow): Checkout {
  return { ...row, price: { minorUnits, currency } };
}
