import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { Charge } from './charge.ts';
import { chargeLists, chargeNames, chargeValues } from './charge-columns.ts';
import type { Patience } from './locks.store.ts';
import { chargeWithin } from './rates.ts';

/*
 * Settles calls that have no hold of their own: their till guarantees that they can be paid, and stays as it is, because
 * an account that has a till has more available than its till holds. An account where that is no longer so is left
 * out and answered with nothing.
 *
 * The sums are made by the caller, per account and in order: `total` of its charges and, for each charge, what is `paid`
 * with it and before it. Where a charge's account stands among those that paid, its balance stands among their balances:
 * a join would sort all rows by `n` once more. Rows are numbered only after all accounts were written, and thereby locked.
 *
 * Accounts come in the order of their ids, which is the order of locks everywhere in this room, and every plan that finds them
 * by their index keeps it. They are not locked in a step of their own: an account that another statement changes meanwhile is
 * looked at again as it is then, guard and all, and what the guard lets through breaks no constraint.
 */
const statement = `
  with paid as (
    update accounts set balance_micro = balance_micro - due.total
      from unnest($1::text[], $2::bigint[]) with ordinality as due (account_id, total, place)
     where accounts.id = due.account_id and balance_micro - due.total >= held_micro
    returning due.place::integer, accounts.id, balance_micro + due.total as before, balance_micro - held_micro as available
  ), payer as (
    select array_agg(place) as places, array_agg(before) as balances from paid
  ), written as (
    insert into ledger (
      id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served, model_revision,
      request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
      prompt_tokens, completion_tokens, outcome, operation)
    select charge.ledger_id, charge.account_id, 'inference', -charge.wanted,
           (select balances from payer)[array_position((select places from payer), charge.place)] - charge.paid,
           charge.project_id, charge.model_requested, charge.model_served, charge.model_revision,
           charge.request_id, charge.key_id, charge.key_name, charge.active_ms, charge.units,
           charge.rate_micro_per_minute, charge.price_version, charge.held_micro,
           charge.prompt_tokens, charge.completion_tokens, charge.outcome,
           charge.operation
      from unnest(${chargeLists(3)}, $21::bigint[], $22::bigint[], $23::integer[])
           with ordinality as charge (${chargeNames}, wanted, paid, place, n)
     where charge.place = any ((select places from payer)::integer[])
     order by n
  )
  select id as "accountId", available as "availableMicro" from paid`;

export type Paid = { accountId: string; availableMicro: Micro };

/**
 * Writes one ledger row per charge and takes the money; committed durably when this resolves. Throws 23505 on
 * `ledger_once_per_request`, and does nothing, when one of them has been charged before.
 *
 * @returns the accounts whose charges were all written, with what is available there now; of others nothing was.
 */
export function settleQuickly(sql: Sql, charges: readonly Charge[], patience: Patience): Promise<Paid[]> {
  const wanted = charges.map((charge) => chargeWithin(charge.heldMicro, charge));
  const { totals, paid, places } = addUp(charges, wanted);
  const values = [...totals, ...chargeValues(charges), wanted, paid, places];
  return sql.query<Paid>(statement, values, { name: 'billing.settle_quickly', ...patience });
}

/**
 * Per account, in the order of ids: its id and total. Per charge: what its account has paid with and before it, and the
 * place of its account, from 1.
 */
function addUp(charges: readonly Charge[], wanted: readonly Micro[]) {
  const sums = new Map<string, Micro>();
  const paid = charges.map(({ accountId }, index) => {
    const sum = (sums.get(accountId) ?? 0n) + (wanted[index] ?? 0n);
    sums.set(accountId, sum);
    return sum;
  });
  const accounts = [...sums.keys()].sort();
  const placeOf = new Map(accounts.map((id, index) => [id, index + 1]));
  return {
    totals: [accounts, accounts.map((id) => sums.get(id) ?? 0n)],
    paid,
    places: charges.map(({ accountId }) => placeOf.get(accountId) ?? 0),
  };
}
