import type { Sql } from '#db';
import { billingUnits, type Micro, newId } from '#kernel';
import type { Charge } from './charge.ts';
import { chargeWithin } from './rates.ts';

/** What work has to pay that is settled in a transaction of its own. */
export type WorkCharge = Omit<Charge, 'outcome'> & {
  type: 'inference' | 'index';
  /** The hold that it gives back; null: nothing was held. */
  holdId: string | null;
  outcome: 'succeeded' | 'client_disconnected' | 'canceled';
};

/*
 * As `settleStatement` in settlements.store.ts, for one charge: within its hold, or, where the hold is gone because the
 * process was taken for dead, out of what no other hold has reserved.
 */
const statement = `
  with account as (
    select id, balance_micro, held_micro from accounts where id = $1 for no key update
  ), freed as (
    delete from holds using account where holds.request_id = $2 and holds.account_id = account.id returning holds.micro
  ), priced as (
    select account.*, coalesce(freed.micro, 0) as freed_micro,
           case when freed.micro is not null then least($3::bigint, freed.micro)
                else greatest(0, least($3::bigint, balance_micro - held_micro)) end as charged
      from account left join freed on true
  ), written as (
    insert into ledger (
      id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served, model_revision,
      request_id, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
      prompt_tokens, completion_tokens, outcome, operation)
    select $4, id, $5, -charged, balance_micro - charged, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15::bigint, $16,
           case when charged < $3::bigint then charged else $17::bigint end, $18, $19, $20, $21
      from priced
  ), lowered as (
    update accounts set balance_micro = priced.balance_micro - priced.charged,
                        held_micro = priced.held_micro - priced.freed_micro
      from priced where accounts.id = priced.id
  )
  select charged from priced`;

/**
 * Writes the ledger row, takes the money and gives the hold back, in the transaction of the change that was paid for.
 * Throws 23505 on `ledger_once_per_request` when this was charged before.
 */
export async function chargeWork(tx: Sql, charge: WorkCharge): Promise<Micro> {
  const { accountId, usage } = charge;
  const [row] = await tx.query<{ charged: bigint }>(
    statement,
    [
      ...[
        accountId,
        charge.holdId,
        chargeWithin(charge.heldMicro, charge),
        newId('led'),
        charge.type,
        charge.projectId,
      ],
      ...[charge.modelRequested, charge.modelServed, charge.modelRevision, charge.requestId, charge.keyId],
      ...[charge.keyName ?? null, charge.activeMs, billingUnits(charge.activeMs), charge.rateMicroPerMinute],
      ...[charge.priceVersion, charge.heldMicro, usage.promptTokens, usage.completionTokens, charge.outcome],
      charge.operation,
    ],
    { name: 'billing.charge_work' },
  );
  if (!row) throw new Error(`There is no account ${accountId}. This is a bug.`);
  return row.charged;
}
