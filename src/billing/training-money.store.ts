import type { Sql } from '#db';
import { billingUnits, type Micro, newId } from '#kernel';
import { chargeWithin } from './rates.ts';

/*
 * The money of training jobs. Their holds are of no instance, so no death gives them back: they live and end with the state
 * of their job, in its transactions. Accounts are written from the locked row: see `placeStatement` in holds.store.ts.
 */

export type AttemptName = { jobId: string; attempt: number };

function holdIdOf({ jobId, attempt }: AttemptName): string {
  return `training_${jobId}_${attempt}`;
}

/**
 * Reserves what an attempt may cost; the account's row stays locked until the transaction ends, also when nothing is to be
 * reserved.
 */
export async function placeTrainingHold(
  tx: Sql,
  { accountId, micro, ...name }: AttemptName & { accountId: string; micro: Micro },
): Promise<'held' | { refused: { availableMicro: Micro } }> {
  const [row] = await tx.query<{ available: Micro; fits: boolean }>(
    `with account as (
       select id, balance_micro, held_micro from accounts where id = $1 for no key update
     ), placed as (
       insert into holds (request_id, account_id, instance_id, micro)
       select $2, id, null, $3::bigint from account where $3::bigint > 0 and balance_micro - held_micro >= $3::bigint
       returning micro
     ), raised as (
       update accounts set balance_micro = account.balance_micro, held_micro = account.held_micro + placed.micro
         from account cross join placed where accounts.id = account.id
     )
     select balance_micro - held_micro as available, $3::bigint = 0 or exists (select from placed) as fits from account`,
    [accountId, holdIdOf(name), micro],
  );
  if (!row) throw new Error(`There is no account ${accountId}. This is a bug.`);
  return row.fits ? 'held' : { refused: { availableMicro: row.available } };
}

/** Gives the hold of an attempt back; without one it does nothing. */
export async function releaseTrainingHold(tx: Sql, { accountId, ...name }: AttemptName & { accountId: string }) {
  await tx.query(
    `with account as (
       select id, balance_micro, held_micro from accounts where id = $1 for no key update
     ), freed as (
       delete from holds using account where request_id = $2 and account_id = account.id returning micro
     )
     update accounts set balance_micro = account.balance_micro, held_micro = account.held_micro - freed.micro
       from account cross join freed where accounts.id = account.id`,
    [accountId, holdIdOf(name)],
  );
}

export type TrainingCharge = AttemptName & {
  accountId: string;
  projectId: string;
  key: { id: string; name: string } | null;
  baseModelId: string;
  activeMs: number;
  rateMicroPerMinute: Micro;
  priceVersion: string;
  heldMicro: Micro;
  outcome: 'succeeded' | 'canceled' | null;
  note: string | null;
};

/** Charges an attempt that ran, within its hold, and gives the rest back. A second charge of one attempt fails (23505). */
export async function settleTraining(tx: Sql, charge: TrainingCharge): Promise<Micro> {
  const { accountId, projectId, key, baseModelId, activeMs, rateMicroPerMinute, priceVersion, heldMicro } = charge;
  const charged = chargeWithin(heldMicro, charge);
  await tx.query(
    `with account as (
       select id, balance_micro, held_micro from accounts where id = $1 for no key update
     ), freed as (
       delete from holds using account where request_id = $2 and account_id = account.id returning micro
     ), written as (
       insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
         training_job_id, attempt, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
         outcome, note, operation)
       select $3, id, 'training', -$4::bigint, balance_micro - $4::bigint, $5, $6, $6, $7, $8, $9, $10, $11, $12, $13,
              $14, $15, $16, $17, 'training_jobs.run' from account
     )
     update accounts
        set balance_micro = account.balance_micro - $4::bigint, held_micro = account.held_micro - coalesce(freed.micro, 0)
       from account left join freed on true where accounts.id = account.id`,
    [
      ...[accountId, holdIdOf(charge), newId('led'), charged, projectId, baseModelId, charge.jobId, charge.attempt],
      ...[key?.id ?? null, key?.name ?? null, activeMs, billingUnits(activeMs), rateMicroPerMinute, priceVersion],
      ...[heldMicro, charge.outcome, charge.note],
    ],
  );
  return charged;
}
