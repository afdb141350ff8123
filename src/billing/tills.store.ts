import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { Patience } from './locks.store.ts';

/** A till is a hold that belongs to an instance and an account, not to a call: a row of `holds` with this id. */
export function tillIdOf(accountId: string, instanceId: string): string {
  return `till_${accountId}_${instanceId}`;
}

/** The account of a till; null for the hold of a call. */
export function accountOf(requestId: string): string | null {
  return /^till_(acc_[0-9A-Z]+)_/.exec(requestId)?.[1] ?? null;
}

export type TillOpening = { tillId: string; accountId: string; micro: Micro; leastAvailable: Micro };

/*
 * An account that has not `leastAvailable` gets no till. Accounts are locked in the order of their ids and written
 * from the locked rows, and the commit is not waited for: see `placeStatement` in holds.store.ts.
 */
const openStatement = `
  with account as (
    select locked.*, asked.till_id, asked.micro
      from (select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[])
              as asked (till_id, account_id, micro, least) order by account_id) asked
     cross join lateral (
       select id, balance_micro, held_micro from accounts where accounts.id = asked.account_id for no key update) locked
     where balance_micro - held_micro >= asked.least
  ), placed as (
    insert into holds (request_id, account_id, instance_id, micro)
    select till_id, id, $5, micro from account on conflict do nothing
    returning account_id, micro
  ), raised as (
    update accounts set balance_micro = account.balance_micro, held_micro = account.held_micro + placed.micro
      from account join placed on placed.account_id = account.id
     where accounts.id = account.id
  )
  select account_id as "accountId" from placed cross join (select set_config('synchronous_commit', 'off', true)) quick`;

/** Opens tills, at most one per account. Returns the accounts that got one. */
export async function openTills(
  sql: Sql,
  instanceId: string,
  { openings, ...patience }: Patience & { openings: readonly TillOpening[] },
): Promise<Set<string>> {
  const rows = await sql.query<{ accountId: string }>(
    openStatement,
    [
      openings.map(({ tillId }) => tillId),
      openings.map(({ accountId }) => accountId),
      openings.map(({ micro }) => micro),
      openings.map(({ leastAvailable }) => leastAvailable),
      instanceId,
    ],
    { name: 'billing.open_tills', ...patience },
  );
  return new Set(rows.map(({ accountId }) => accountId));
}

export type TillCall = { requestId: string; accountId: string; micro: Micro };

/*
 * The calls together never hold more than their till did, so nothing is overdrawn. A till that is gone (its instance was
 * taken for dead) leaves its calls without holds: they settle as calls whose hold is gone.
 */
const closeStatement = `
  with account as (
    select locked.* from (select distinct account_id as id from holds where request_id = any($1::text[]) order by id) known
     cross join lateral (
       select id, balance_micro, held_micro from accounts where accounts.id = known.id for no key update) locked
  ), closed as (
    delete from holds using account
     where holds.request_id = any($1::text[]) and holds.account_id = account.id
    returning holds.account_id, holds.micro
  ), moved as (
    insert into holds (request_id, account_id, instance_id, micro)
    select call.request_id, call.account_id, $5, call.micro
      from unnest($2::text[], $3::text[], $4::bigint[]) as call (request_id, account_id, micro)
      join closed on closed.account_id = call.account_id
    on conflict do nothing
    returning account_id, micro
  ), changed as (
    update accounts
       set balance_micro = account.balance_micro,
           held_micro = account.held_micro - closed.micro
             + coalesce((select sum(micro) from moved where moved.account_id = account.id), 0)
      from account join closed on closed.account_id = account.id
     where accounts.id = account.id
  )
  select set_config('synchronous_commit', 'off', true)`;

/** Replaces tills by holds of the calls that draw on them, and gives the rest back. */
export async function closeTills(
  sql: Sql,
  instanceId: string,
  { tillIds, calls, ...patience }: Patience & { tillIds: readonly string[]; calls: readonly TillCall[] },
): Promise<void> {
  await sql.query(
    closeStatement,
    [
      tillIds,
      calls.map(({ requestId }) => requestId),
      calls.map(({ accountId }) => accountId),
      calls.map(({ micro }) => micro),
      instanceId,
    ],
    { name: 'billing.close_tills', ...patience },
  );
}

/** Whether another instance keeps a till for the account, which may hold credits that no call needs. */
export async function hasOtherTills(sql: Sql, accountId: string, instanceId: string): Promise<boolean> {
  const rows = await sql.query(
    "select from holds where account_id = $1 and request_id like 'till\\_%' and instance_id <> $2 limit 1",
    [accountId, instanceId],
    { name: 'billing.other_tills' },
  );
  return rows.length > 0;
}
