import type { Sql } from '#db';
import type { Micro } from '#kernel';

export type Finding = {
  /**
   * `balance`: an account's balance is not the sum of its ledger rows.
   * `chain`: a row's balance is not the one before plus its amount.
   * `unguarded`: a row that could be written a second time.
   * `held`: an account's held amount is not the sum of what its calls hold.
   * `overdrawn`: more is held than there is.
   * `abandoned_hold`: a hold of a process that has shown no life for a while, although a server runs that should have given
   * it back.
   * `twice`: one request has several rows of one type.
   * `charge`: a charge is not what the formula gives.
   * `usage`: what is summed up for lists and totals is not what the ledger has.
   * `training_hold`: credits are held for a training job that is over, or a live one has no hold.
   * `purchase`: bought credits and completed checkouts are not the same.
   */
  check:
    | (
        | 'balance'
        | 'chain'
        | 'unguarded'
        | 'held'
        | 'overdrawn'
        | 'abandoned_hold'
        | 'twice'
        | 'charge'
        | 'usage'
        | 'purchase'
      )
    | 'training_hold';
  accountId: string;
  /** What is wrong: an account, a request or a ledger row. */
  subject: string;
  message: string;
};

type FindingRow = { check: Finding['check']; account_id: string; subject: string; message: string };

const livingInstance = `select from instances where seen_at >= now() - interval '15 seconds'`;

const statement = `
  with kept as not materialized (
    select ledger.*, coalesce(before.micro, 0) as partition_balance_micro
      from ledger left join ledger_partition_balances before on before.account_id = ledger.account_id
     where ledger.seq > coalesce(before.seq, 0)
  ), booked as (
    select account_id, sum(micro) as micro
      from (select account_id, micro from kept union all select account_id, micro from ledger_partition_balances) part
     group by account_id
  ), reserved as (
    select account_id, sum(held_micro) as micro from calls where held_micro > 0 group by account_id
  ), account as (
    select coalesce(accounts.id, booked.account_id, reserved.account_id) as id, balance_micro, held_micro,
           coalesce(booked.micro, 0) as booked, coalesce(reserved.micro, 0) as reserved
      from accounts full join booked on booked.account_id = accounts.id
           full join reserved on reserved.account_id = coalesce(accounts.id, booked.account_id)
  ), linked as (
    select account_id, id, micro, balance_after_micro,
           lag(balance_after_micro, 1, partition_balance_micro) over (partition by account_id order by seq) as before
      from kept
  )
  select 'balance' as "check", id as account_id, id as subject,
         format('the balance is %s micro-credits, the ledger adds up to %s', balance_micro, booked) as message
    from account where balance_micro is distinct from booked
  union all
  select 'held', id, id, format('%s micro-credits are held, its calls hold %s', held_micro, reserved)
    from account where held_micro is distinct from reserved
  union all
  select 'overdrawn', id, id, format('%s micro-credits are held of %s', held_micro, balance_micro)
    from account where held_micro > balance_micro or balance_micro < 0
  union all
  select 'chain', account_id, id,
         format('%s micro-credits and %s more make %s', before, micro, balance_after_micro)
    from linked where before + micro <> balance_after_micro
  union all
  select 'unguarded', account_id, id, 'nothing keeps it from being charged again'
    from kept
   where num_nonnulls(request_id, training_job_id) > 0 and not exists (
     select from ledger_once once
      where once.request_id = once_key(kept.request_id, kept.training_job_id, kept.attempt) and once.type = kept.type
        and once.seq = kept.seq)
  union all
  select 'twice', min(account_id), request_id, format('%s rows of type %s', count(*), type)
    from ledger where request_id is not null group by type, request_id having count(*) > 1
  union all
  select 'abandoned_hold', account_id, request_id,
         format('%s micro-credits held by %s, last seen %s', held_micro, server_id, coalesce(seen_at::text, 'never'))
    from calls left join instances on instances.id = server_id
   where server_id is not null and status is null and (seen_at is null or seen_at < now() - interval '15 seconds')
     and exists (${livingInstance})
  union all
  select 'training_hold', account_id, request_id, format('%s micro-credits are held for no live training job', held_micro)
    from calls
   where server_id is null and held_micro > 0 and not exists (
     select from training_jobs j where j.finished_at is null and request_id = format('%s/%s', j.id, j.attempt))
  union all
  select 'training_hold', j.account_id, j.id, format('the job is %s and has no hold of %s', j.state, a.held_micro)
    from training_jobs j join training_attempts a on a.job_id = j.id and a.number = j.attempt
   where j.finished_at is null and a.held_micro > 0
     and not exists (select from calls where request_id = format('%s/%s', j.id, j.attempt))
  limit 1000`;

/** Everything but wrong prices; at most a thousand. */
export async function listDiscrepancies(sql: Sql): Promise<Finding[]> {
  const rows = await sql.query<FindingRow>(statement, [], { timeoutMs });
  return rows.map(({ check, account_id: accountId, subject, message }) => ({ check, accountId, subject, message }));
}

/** Holds that the next server gives back: none runs now, because all were stopped hard or a backup was restored. */
export async function countLeftHolds(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ count: number }>(
    `select count(*)::integer as count from calls where server_id is not null and status is null and not exists (${livingInstance})`,
  );
  return row?.count ?? 0;
}

// Whole tables are read.
const timeoutMs = 30 * 60_000;

export type ChargeRow = {
  accountId: string;
  seq: bigint;
  requestId: string;
  activeMs: number;
  units: bigint;
  rateMicroPerMinute: Micro;
  heldMicro: Micro;
  chargedMicro: Micro;
};

/** Charges of calls, indexes and training in the order of (account, row), after a given one. */
export function listChargesAfter(
  sql: Sql,
  { accountId, seq }: { accountId: string; seq: bigint },
  limit: number,
): Promise<ChargeRow[]> {
  return sql.query<ChargeRow>(
    `select account_id as "accountId", seq, coalesce(request_id, format('%s/%s', training_job_id, attempt)) as "requestId", active_ms as "activeMs", units,
            rate_micro_per_minute as "rateMicroPerMinute", held_micro as "heldMicro", -micro as "chargedMicro"
       from ledger where type in ('inference', 'index', 'training') and (account_id, seq) > ($1, $2) order by account_id, seq limit $3`,
    [accountId, seq, limit],
    { timeoutMs },
  );
}
