import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { Charge } from './charge.ts';
import { chargeLists, chargeNames, chargeValues } from './charge-columns.ts';
import type { Patience } from './locks.store.ts';
import { chargeWithin } from './rates.ts';

/*
 * One statement settles any number of calls. Accounts are locked in the order of their ids; everything else follows
 * from the locked rows:
 *
 *   recorded  charges that an earlier attempt has already written: they are answered, not charged again; the first and
 *             the last id say in which months they can be
 *   freed     the holds of these calls, gone now
 *   backed    a call with a hold pays what it is `wanted` to, within the hold: `covered`
 *   weighed   a call whose hold is gone (its process was taken for dead) pays out of what no other hold has reserved,
 *             in order: `lapsed_sum` is what such calls want up to and including this one, `free` what there is for them
 *   priced    what each pays; the running sum gives the balance after each row
 *   lowered   both amounts are written from the locked rows: see `placeStatement` in holds.store.ts
 *
 * The snapshot of `recorded` is older than the locks. An earlier attempt that commits in between makes the insert fail
 * on `ledger_once_per_request`; nothing is written then and the caller runs the statement again.
 */
const settleStatement = `
  with charge as (
    select * from unnest(${chargeLists(1)}, $19::bigint[])
      with ordinality as charge (${chargeNames}, wanted, n)
  ), account as (
    select locked.* from (select distinct account_id as id from charge order by id) involved
     cross join lateral (
       select id, balance_micro, held_micro from accounts where accounts.id = involved.id for no key update) locked
  ), recorded as (
    select request_id, -micro as charged from ledger_once
     where type = 'inference' and request_id = any($1::text[]) and request_id >= $20 and request_id <= $21
  ), freed as (
    delete from holds using account
     where holds.request_id = any($1::text[]) and holds.account_id = account.id
    returning holds.request_id, holds.account_id, holds.micro
  ), backed as (
    select charge.*, account.balance_micro, account.held_micro as all_held_micro, freed.micro as freed_micro,
           case when freed.micro is not null then least(charge.wanted, freed.micro) end as covered
      from charge join account on account.id = charge.account_id left join freed using (request_id)
     where not exists (select from recorded where recorded.request_id = charge.request_id)
  ), weighed as (
    select *, sum(wanted) filter (where covered is null) over running as lapsed_sum,
           balance_micro - coalesce(sum(covered) over whole, 0)
             - (all_held_micro - coalesce(sum(freed_micro) over whole, 0)) as free
      from backed
    window whole as (partition by account_id),
           running as (partition by account_id order by n rows unbounded preceding)
  ), priced as (
    select *, coalesce(covered, least(lapsed_sum, free) - least(lapsed_sum - wanted, free))::bigint as charged from weighed
  ), written as (
    insert into ledger (
      id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served, model_revision,
      request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
      prompt_tokens, completion_tokens, outcome, operation)
    select ledger_id, account_id, 'inference', -charged,
           balance_micro - sum(charged) over (partition by account_id order by n rows unbounded preceding),
           project_id, model_requested, model_served, model_revision,
           request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version,
           case when charged < wanted then charged else held_micro end,
           prompt_tokens, completion_tokens, outcome, operation
      from priced order by n
    returning account_id, request_id, -micro as charged
  ), lowered as (
    update accounts
       set balance_micro = account.balance_micro - total.charged, held_micro = account.held_micro - total.freed
      from account join (
             select account_id, sum(charged)::bigint as charged, sum(freed)::bigint as freed
               from (select account_id, charged, 0 as freed from written
                     union all select account_id, 0, micro from freed) part
              group by account_id) total on total.account_id = account.id
     where accounts.id = account.id and (total.charged > 0 or total.freed > 0)
  )
  select request_id, charged from written union all select request_id, charged from recorded`;

/**
 * Writes one ledger row per charge, takes the money and frees the holds; committed durably when this resolves.
 * A charge whose request id is in the ledger already changes nothing and gives what was charged then.
 * Request ids must differ. Throws 23505 on `ledger_once_per_request` when another attempt won a race.
 *
 * @returns what each call paid, in the order of `charges`; null: there is no such account.
 */
export async function settleCharges(
  sql: Sql,
  charges: readonly Charge[],
  patience: Patience,
): Promise<(Micro | null)[]> {
  const rows = await sql.query<{ request_id: string; charged: bigint }>(settleStatement, columnsOf(charges), {
    name: 'billing.settle_charges',
    ...patience,
  });
  const chargedOf = new Map(rows.map((row) => [row.request_id, row.charged]));
  return charges.map(({ requestId }) => chargedOf.get(requestId) ?? null);
}

function columnsOf(charges: readonly Charge[]): unknown[] {
  const sortedIds = charges.map(({ requestId }) => requestId).sort();
  return [
    ...chargeValues(charges),
    charges.map((charge) => chargeWithin(charge.heldMicro, charge)),
    sortedIds.at(0),
    sortedIds.at(-1),
  ];
}
