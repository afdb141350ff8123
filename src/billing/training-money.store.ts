import type { Sql } from '#db';
import { billingUnits, type Micro, newId } from '#kernel';
import { chargeWithin } from './rates.ts';

/*
 * The money of training jobs. Their holds are of no instance, so no death gives them back: they live and end with the state
 * of their job, in its transactions.
 */

export type AttemptName = { jobId: string; attempt: number };

function holdIdOf({ jobId, attempt }: AttemptName): string {
  return `training_${jobId}_${attempt}`;
}

/**
 * In a statement of its own, so that the next one sees the row as it is locked. One that locks and writes comes to the row
 * by way of the older version that its snapshot has, and there it may wait for who waits for this transaction: a circle,
 * where others hold keys of that version (rows that refer to the account).
 */
async function lockAccount(tx: Sql, accountId: string): Promise<void> {
  await tx.query('select from accounts where id = $1 for no key update', [accountId]);
}

/**
 * Reserves what an attempt may cost; the account's row stays locked until the transaction ends, also when nothing is to be
 * reserved.
 */
export async function placeTrainingHold(
  tx: Sql,
  { accountId, micro, ...name }: AttemptName & { accountId: string; micro: Micro },
): Promise<'held' | { refused: { availableMicro: Micro } }> {
  await lockAccount(tx, accountId);
  const [row] = await tx.query<{ available: Micro; fits: boolean }>(
    `with placed as (
       insert into holds (request_id, account_id, instance_id, micro)
       select $2, id, null, $3::bigint from accounts
        where id = $1 and $3::bigint > 0 and balance_micro - held_micro >= $3::bigint
       returning micro
     ), raised as (
       update accounts set held_micro = held_micro + placed.micro from placed where id = $1
     )
     select balance_micro - held_micro as available, $3::bigint = 0 or exists (select from placed) as fits
       from accounts where id = $1`,
    [accountId, holdIdOf(name), micro],
  );
  if (!row) throw new Error(`There is no account ${accountId}. This is a bug.`);
  return row.fits ? 'held' : { refused: { availableMicro: row.available } };
}

/** Gives the hold of an attempt back; without one it does nothing. */
export async function releaseTrainingHold(tx: Sql, { accountId, ...name }: AttemptName & { accountId: string }) {
  await lockAccount(tx, accountId);
  await tx.query(
    `with freed as (delete from holds where request_id = $2 and account_id = $1 returning micro)
     update accounts set held_micro = held_micro - freed.micro from freed where id = $1`,
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
  await lockAccount(tx, accountId);
  await tx.query(
    `with freed as (
       delete from holds where request_id = $2 and account_id = $1 returning micro
     ), written as (
       insert into ledger (id, account_id, type, micro, balance_after_micro, project_id, model_requested, model_served,
         training_job_id, attempt, key_id, key_name, active_ms, units, rate_micro_per_minute, price_version, held_micro,
         outcome, note, operation)
       select $3, id, 'training', -$4::bigint, balance_micro - $4::bigint, $5, $6, $6, $7, $8, $9, $10, $11, $12, $13,
              $14, $15, $16, $17, 'training_jobs.run' from accounts where id = $1
     )
     update accounts
        set balance_micro = balance_micro - $4::bigint, held_micro = held_micro - coalesce((select micro from freed), 0)
      where id = $1`,
    [
      ...[accountId, holdIdOf(charge), newId('led'), charged, projectId, baseModelId, charge.jobId, charge.attempt],
      ...[key?.id ?? null, key?.name ?? null, activeMs, billingUnits(activeMs), rateMicroPerMinute, priceVersion],
      ...[heldMicro, charge.outcome, charge.note],
    ],
  );
  return charged;
}
