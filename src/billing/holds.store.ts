import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { Patience } from './locks.store.ts';

/** Asks to reserve `micro` (> 0) of an account's credits for one call. */
export type HoldRequest = { requestId: string; accountId: string; micro: Micro };
export type HoldAnswer = 'held' | { refused: { availableMicro: Micro } };

/*
 * One statement takes any number of holds.
 *
 * - Accounts are locked in the order of their ids, as everywhere in this room, so that processes never wait for each
 *   other in a circle.
 * - Both amounts are written from the locked rows, although one stays as it is: PostgreSQL checks constraints first on
 *   the row as the snapshot has it, which may be older than the lock, and would refuse a hold for credits that have
 *   become free meanwhile.
 * - `synchronous_commit` is off for this transaction: a hold only guards credits while its call runs, and a crash of
 *   PostgreSQL that forgets a hold forgets its share of `held_micro` with it. A settlement is written to the log behind
 *   its hold, so it never survives without it.
 */
const placeStatement = `
  with asked as (
    select * from unnest($1::text[], $2::text[], $3::bigint[]) with ordinality as asked (request_id, account_id, micro, n)
  ), account as (
    select locked.*, balance_micro - held_micro as available
      from (select distinct account_id as id from asked order by id) involved
     cross join lateral (
       select id, balance_micro, held_micro from accounts where accounts.id = involved.id for no key update) locked
  ), judged as (
    select n, request_id, account_id, micro, available, coalesce(greedy_sum(micro, available)
             over (partition by account_id order by n rows between unbounded preceding and 1 preceding), 0) as taken
      from asked left join account on account.id = account_id
  ), placed as (
    insert into holds (request_id, account_id, instance_id, micro)
    select request_id, account_id, $4, micro from judged where taken + micro <= available
    returning account_id, micro
  ), raised as (
    update accounts set balance_micro = account.balance_micro, held_micro = account.held_micro + total.micro
      from account join (select account_id, sum(micro)::bigint as micro from placed group by account_id) total
        on total.account_id = account.id
     where accounts.id = account.id
  )
  select taken + micro <= available as fits, available - taken as available
    from judged cross join (select set_config('synchronous_commit', 'off', true)) quick
   order by n`;

/**
 * Places holds in the given order: each account's are admitted as long as they fit into what is available then.
 * Throws, and places none, when a request id has a hold already.
 *
 * @returns one answer per request, in the same order; null: there is no such account.
 */
export async function placeHolds(
  sql: Sql,
  instanceId: string,
  { requests, ...patience }: Patience & { requests: readonly HoldRequest[] },
): Promise<(HoldAnswer | null)[]> {
  const rows = await sql.query<{ fits: boolean | null; available: bigint | null }>(
    placeStatement,
    [
      requests.map(({ requestId }) => requestId),
      requests.map(({ accountId }) => accountId),
      requests.map(({ micro }) => micro),
      instanceId,
    ],
    { name: 'billing.place_holds', ...patience },
  );
  return rows.map(({ fits, available: availableMicro }) => {
    if (availableMicro === null) return null;
    return fits ? 'held' : { refused: { availableMicro } };
  });
}

const releaseStatement = (passingOver: boolean) => `
  with account as (
    select id from accounts
     where id in (select account_id from holds where request_id = any($1::text[]))
     order by id for no key update ${passingOver ? 'skip locked' : ''}
  ), freed as (
    delete from holds using account
     where holds.request_id = any($1::text[]) and holds.account_id = account.id
    returning holds.account_id, holds.micro
  ), lowered as (
    update accounts set held_micro = held_micro - total.micro
      from (select account_id, sum(micro)::bigint as micro from freed group by account_id) total
     where accounts.id = total.account_id
  )
  select set_config('synchronous_commit', 'off', true)`;
const [releaseAll, releaseFree] = [releaseStatement(false), releaseStatement(true)];

/** Gives holds back without a charge; ids without a hold are passed over. As safe to lose in a crash as a hold. */
export async function releaseHolds(sql: Sql, requestIds: readonly string[], patience: Patience): Promise<void> {
  await sql.query(releaseAll, [requestIds], { name: 'billing.release_holds', ...patience });
}

/** The same, but those of accounts whose rows are locked stay. */
export async function releaseFreeHolds(sql: Sql, requestIds: readonly string[], patience: Patience): Promise<void> {
  await sql.query(releaseFree, [requestIds], { name: 'billing.release_free_holds', ...patience });
}
