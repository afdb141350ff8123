import type { Sql } from '#db';
import type { Micro } from '#kernel';

/*
 * The background's side of the tables of usage (migrations/0008_billing.sql). Exact by construction:
 *
 * - An account's mark is locked first, in a statement of its own, so that what follows sees everything that another
 *   replica has added before; one that is locked is left to the other.
 * - Rows behind the mark are added and the mark moves in one statement. It commits whole or not at all, so that no row
 *   is counted twice or left out, wherever a process dies.
 * - The rows of an account become visible in the order of `seq`, because its row is locked while `seq` is drawn and
 *   until the commit. Nothing appears before the mark later.
 */

/** Locks the marks of these accounts until the transaction ends; gives those that nobody else is at work on. */
export async function claimMarks(tx: Sql, accountIds: readonly string[]): Promise<string[]> {
  await tx.query(
    `insert into usage_marks (account_id) select id from unnest($1::text[]) as requested (id) order by id
     on conflict do nothing`,
    [accountIds],
  );
  const rows = await tx.query<{ account_id: string }>(
    `select account_id from usage_marks where account_id = any($1::text[]) order by account_id for update skip locked`,
    [accountIds],
  );
  return rows.map((row) => row.account_id);
}

/** A chunk of this size fits into a row of the table without being compressed. */
const usualChunk = 200;
/** Calls that came at once are kept together up to this number. */
const mostOfChunk = 1_000;

/*
 *   fresh     rows behind the mark, at most $2 of an account, with the latest time before each; `call` is the calls
 *   listed    the lists that a call with such a key, project and model is in; bit by bit, a mask says of what
 *   piece     the calls of each list, in slices if there are many; joined in full, because the planner expects one call and
 *             would compare each with each list in a nested loop, which cannot do that
 *   placed    a piece goes into the list's last chunk if both together are small, else it is a new one
 *   moved     the mark, which goes to the last of the rows
 */
const sumUpStatement = `
  with mark as (
    select * from usage_marks where account_id = any($1::text[])
  ), fresh as materialized (
    select row.account_id, row.seq, row.type, row.micro, row.balance_after_micro, row.created_at,
           coalesce(row.key_id, '') as key_id, coalesce(row.project_id, '') as project_id,
           coalesce(row.model_requested, row.model_served, '') as model,
           round(row.active_ms * 1000)::bigint as active_us, row.units,
           row_number() over of_account as n, greatest(mark.latest_at, max(row.created_at) over of_account) as latest_before
      from mark cross join lateral (
             select * from ledger where ledger.account_id = mark.account_id and ledger.seq > mark.seq
              order by ledger.seq limit $2) row
    window of_account as (
             partition by row.account_id order by row.seq rows between unbounded preceding and 1 preceding)
  ), call as (
    select * from fresh where type = 'inference'
  ), fine as (
    select account_id, date_bin('1 hour', created_at, timestamptz '2000-01-01T00:00Z') as hour, key_id, project_id, model, count(*) as rows,
           sum(active_us) as active_us, sum(units) as units, sum(micro) as micro,
           min(seq) as first_seq, max(seq) as last_seq
      from call group by 1, 2, 3, 4, 5
  ), by_hour as (
    insert into usage_hours (account_id, hour, rows, active_us, units, micro, first_seq, last_seq)
    select account_id, hour, sum(rows), sum(active_us), sum(units), sum(micro), min(first_seq), max(last_seq)
      from fine group by 1, 2
    on conflict (account_id, hour) do update
       set rows = usage_hours.rows + excluded.rows, active_us = usage_hours.active_us + excluded.active_us,
           units = usage_hours.units + excluded.units, micro = usage_hours.micro + excluded.micro,
           last_seq = excluded.last_seq
  ), by_day as (
    insert into usage_days (account_id, dimension, day, value, rows, active_us, units, micro)
    select account_id, dimension, date_trunc('day', hour, 'UTC'), value,
           sum(rows) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
      from fine cross join lateral (
             values ('all', ''), ('key', key_id), ('project', project_id), ('model', model)) as part (dimension, value)
     group by 1, 2, 3, 4
    on conflict (account_id, dimension, day, value) do update
       set rows = usage_days.rows + excluded.rows, active_us = usage_days.active_us + excluded.active_us,
           units = usage_days.units + excluded.units, micro = usage_days.micro + excluded.micro
  ), listed as materialized (
    select *, sum(rows) over (partition by list) > ${mostOfChunk} as is_long
      from (select made.*, usage_list(account_id, case when mask & 1 > 0 then key_id end,
                     case when mask & 2 > 0 then project_id end, case when mask & 4 > 0 then model end) as list
              from (select account_id, key_id, project_id, model, sum(rows) as rows from fine group by 1, 2, 3, 4) made
             cross join generate_series(1, 7) as mask
             where (mask & 1 = 0 or key_id <> '') and (mask & 2 = 0 or project_id <> '')
               and (mask & 4 = 0 or model <> '')) each
  ), piece as materialized (
    select list, array_agg(seq) as seqs, count(*) as rows, sum(active_us) as active_us, sum(units) as units,
           sum(call.micro) as micro, min(seq) as first_seq
      from call full join listed using (account_id, key_id, project_id, model)
     group by list, case when is_long then (n - 1) / ${mostOfChunk} end
  ), sequel as (
    select piece.*, row_number() over of_list = 1 as is_first,
           coalesce(sum(rows) over before, 0) as rows_earlier, coalesce(sum(active_us) over before, 0) as active_us_earlier,
           coalesce(sum(units) over before, 0) as units_earlier, coalesce(sum(micro) over before, 0) as micro_earlier
      from piece where list is not null
    window of_list as (partition by list order by first_seq),
           before as (of_list rows between unbounded preceding and 1 preceding)
  ), placed as (
    insert into usage_lists (list, first_seq, seqs, active_us, units, micro,
                             rows_before, active_us_before, units_before, micro_before)
    select sequel.list,
           case when is_first and cardinality(ending.seqs) + sequel.rows <= ${usualChunk}
                then ending.first_seq else sequel.first_seq end,
           sequel.seqs, sequel.active_us, sequel.units, sequel.micro,
           coalesce(ending.rows_before + cardinality(ending.seqs), 0) + rows_earlier,
           coalesce(ending.active_us_before + ending.active_us, 0) + active_us_earlier,
           coalesce(ending.units_before + ending.units, 0) + units_earlier,
           coalesce(ending.micro_before + ending.micro, 0) + micro_earlier
      from sequel left join lateral (
             select * from usage_lists where usage_lists.list = sequel.list order by first_seq desc limit 1) ending on true
    on conflict (list, first_seq) do update
       set seqs = usage_lists.seqs || excluded.seqs, active_us = usage_lists.active_us + excluded.active_us,
           units = usage_lists.units + excluded.units, micro = usage_lists.micro + excluded.micro
  ), reached as (
    select account_id, count(*)::integer as rows, max(seq) as seq, max(created_at) as latest_at,
           max(latest_before - created_at) as max_out_of_order, max(balance_after_micro) as most_micro,
           (array_agg(balance_after_micro order by seq desc))[1] as balance_micro
      from fresh group by account_id
  ), moved as (
    update usage_marks
       set seq = reached.seq, is_low = balance_micro < $3,
           latest_at = greatest(usage_marks.latest_at, reached.latest_at),
           max_out_of_order = greatest(usage_marks.max_out_of_order, reached.max_out_of_order),
           rows = usage_marks.rows + coalesce(added.rows, 0),
           active_us = usage_marks.active_us + coalesce(added.active_us, 0),
           units = usage_marks.units + coalesce(added.units, 0), micro = usage_marks.micro + coalesce(added.micro, 0)
      from reached left join (
             select account_id, sum(rows) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
               from fine group by 1) added using (account_id)
     where usage_marks.account_id = reached.account_id
  )
  select account_id, reached.rows, balance_micro,
         balance_micro < $3 and (not is_low or most_micro >= $3) as became_low
    from reached join mark using (account_id)
   cross join (select set_config('synchronous_commit', 'off', true)) quick`;

/** Rows of an account that one statement takes: the more, the more of them share a chunk. */
export const rowsAtOnce = 10_000;
/** A machine that is far behind and busy needs minutes for a full turn, and it must end, or the next one is the same. */
const timeoutMs = 15 * 60_000;

export type SummedUp = { accountId: string; rows: number; balanceMicro: Micro; becameLow: boolean };

/**
 * Adds the next rows of these accounts, whose marks the transaction has locked. `becameLow`: the balance was at least
 * `lowMicro` at some point and is less now. What a crash of PostgreSQL forgets is done again.
 *
 * @returns one row for each account that had any.
 */
export async function sumUp(
  tx: Sql,
  options: { accountIds: readonly string[]; lowMicro: Micro; rowsPerAccount?: number },
): Promise<SummedUp[]> {
  const { accountIds, lowMicro, rowsPerAccount = rowsAtOnce } = options;
  const rows = await tx.query<{ account_id: string; rows: number; balance_micro: bigint; became_low: boolean }>(
    sumUpStatement,
    [accountIds, rowsPerAccount, lowMicro],
    { name: 'usage.sum_up', timeoutMs },
  );
  return rows.map((row) => ({
    accountId: row.account_id,
    rows: row.rows,
    balanceMicro: row.balance_micro,
    becameLow: row.became_low,
  }));
}

/** Of the next accounts by id: those with rows behind their mark, and where to go on; null at the end. */
export async function listAccountsBehind(
  sql: Sql,
  { after, limit }: { after: string; limit: number },
): Promise<{ behind: string[]; next: string | null }> {
  const rows = await sql.query<{ id: string; is_behind: boolean }>(
    `select id, exists (select from ledger where account_id = page.id and seq > coalesce(mark.seq, 0)) as is_behind
       from (select id from accounts where id > $1 order by id limit $2) page
       left join usage_marks mark on mark.account_id = page.id
      order by id`,
    [after, limit],
  );
  const behind = rows.filter((row) => row.is_behind).map((row) => row.id);
  return { behind, next: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
}
