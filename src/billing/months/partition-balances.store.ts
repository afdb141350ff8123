import type { Sql } from '#db';

// A month of a large account is read as a whole, in the background.
const timeoutMs = 30 * 60_000;

/** The last number of a month in the ledger. */
export async function lastNumberOf(sql: Sql, month: Date): Promise<bigint> {
  const [row] = await sql.query<{ seq: bigint }>(
    `select ledger_month_start(($1::date + interval '1 month')::date) - 1 as seq`,
    [month.toISOString().slice(0, 10)],
  );
  if (!row) throw new Error('A select without a table gave no row. This is a bug.');
  return row.seq;
}

/** Accounts after `after` that have rows up to a number, in order; each is one step through the index. */
export async function listAccountsUpTo(
  sql: Sql,
  last: bigint,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const next = (condition: string) =>
    `(select account_id from ledger where ${condition} and seq <= $1 order by account_id limit 1)`;
  const rows = await sql.query<{ id: string }>(
    `with recursive found (id) as (
       ${next('account_id > $2')}
       union all
       select ${next('account_id > found.id')} from found where found.id is not null
     )
     select id from found where id is not null limit $3`,
    [last, after, limit],
    { timeoutMs },
  );
  return rows.map(({ id }) => id);
}

/*
 * Moves the rows up to a number from an account's usage and lists to its partition balance, in one statement and so at one
 * time for all readers. The rows themselves stay until the month is detached.
 *
 *   account   of the given ones, whose marks the transaction has locked: those that are summed up so far
 *   gone      the rows that go, as `fresh` in sums.store.ts
 *   balanced  what they add up to, with the balance before: alone it may be negative
 *   ..._less  the sums of their calls, by hour and day; a sum of which nothing is left goes
 *   chunk     chunks of lists that have such calls: whole ones go, of others the rest stays
 */
const moveStatement = `
  with account as (
    select mark.account_id, partition_balance_seq(mark.account_id) as seq
      from usage_marks mark
     where mark.account_id = any($1::text[]) and not exists (
             select from ledger where ledger.account_id = mark.account_id and ledger.seq > mark.seq and ledger.seq <= $2)
  ), gone as materialized (
    select row.account_id, row.seq, row.type, row.micro, row.units, round(row.active_ms * 1000)::bigint as active_us,
           coalesce(row.key_id, '') as key_id, coalesce(row.project_id, '') as project_id,
           coalesce(row.model_requested, row.model_served, '') as model,
           date_trunc('hour', row.created_at, 'UTC') as hour, date_trunc('day', row.created_at, 'UTC') as day
      from account cross join lateral (
             select * from ledger where account_id = account.account_id and seq > account.seq and seq <= $2) row
  ), balanced as (
    insert into ledger_partition_balances (account_id, seq, micro, by_type)
    select account_id, $2, sum(micro), jsonb_object_agg(type, micro)
      from (select account_id, type, sum(micro) as micro
              from (select account_id, type, micro from gone
                    union all
                    select account_id, key, value::bigint
                      from ledger_partition_balances cross join lateral jsonb_each_text(by_type)
                     where account_id in (select account_id from gone)) part
             group by 1, 2) typed
     group by 1
        on conflict (account_id) do update set seq = excluded.seq, micro = excluded.micro, by_type = excluded.by_type
  ), call as materialized (
    select * from gone where type = 'inference'
  ), mark_less as (
    update usage_marks found
       set rows = found.rows - less.rows, active_us = found.active_us - less.active_us, units = found.units - less.units,
           micro = found.micro - less.micro
      from (select account_id, count(*) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
              from call group by 1) less
     where found.account_id = less.account_id
  ), hour_less as materialized (
    select account_id, hour, count(*) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
      from call group by 1, 2
  ), hours_gone as (
    delete from usage_hours found using hour_less less
     where found.account_id = less.account_id and found.hour = less.hour and found.rows = less.rows
  ), hours_cut as (
    update usage_hours found
       set rows = found.rows - less.rows, active_us = found.active_us - less.active_us, units = found.units - less.units,
           micro = found.micro - less.micro, first_seq = (
             select seq from ledger
              where account_id = found.account_id and seq > $2 and seq <= found.last_seq and type = 'inference'
                and created_at >= found.hour and created_at < found.hour + interval '1 hour'
              order by seq limit 1)
      from hour_less less
     where found.account_id = less.account_id and found.hour = less.hour and found.rows > less.rows
  ), daily as materialized (
    select account_id, dimension, day, value, count(*) as rows, sum(active_us) as active_us, sum(units) as units,
           sum(micro) as micro
      from call cross join lateral (
             values ('all', ''), ('key', key_id), ('project', project_id), ('model', model)) as part (dimension, value)
     group by 1, 2, 3, 4
  ), days_gone as (
    delete from usage_days found using daily less
     where found.account_id = less.account_id and found.dimension = less.dimension and found.day = less.day
       and found.value = less.value and found.rows = less.rows
  ), days_cut as (
    update usage_days found
       set rows = found.rows - less.rows, active_us = found.active_us - less.active_us, units = found.units - less.units,
           micro = found.micro - less.micro
      from daily less
     where found.account_id = less.account_id and found.dimension = less.dimension and found.day = less.day
       and found.value = less.value and found.rows > less.rows
  ), listed as (
    select distinct usage_list(account_id, case when mask & 1 > 0 then key_id end,
                      case when mask & 2 > 0 then project_id end, case when mask & 4 > 0 then model end) as list
      from (select distinct account_id, key_id, project_id, model from call) made cross join generate_series(1, 7) as mask
     where (mask & 1 = 0 or key_id <> '') and (mask & 2 = 0 or project_id <> '') and (mask & 4 = 0 or model <> '')
  ), chunk as materialized (
    select found.list, found.first_seq, found.seqs, (select max(seq) from unnest(found.seqs) as seq) <= $2 as is_whole
      from listed join usage_lists found on found.list = listed.list and found.first_seq <= $2
  ), chunks_gone as (
    delete from usage_lists found using chunk
     where found.list = chunk.list and found.first_seq = chunk.first_seq and chunk.is_whole
  ), chunk_less as (
    select list, first_seq, count(*) as rows, sum(call.active_us) as active_us, sum(call.units) as units,
           sum(call.micro) as micro
      from (select list, first_seq, unnest(seqs) as seq from chunk where not is_whole) entry join call using (seq)
     group by 1, 2
  ), chunks_cut as (
    update usage_lists found
       set first_seq = (select min(seq) from unnest(found.seqs) as seq where seq > $2),
           seqs = array(select seq from unnest(found.seqs) as seq where seq > $2),
           active_us = found.active_us - less.active_us, units = found.units - less.units,
           micro = found.micro - less.micro, rows_before = found.rows_before + less.rows,
           active_us_before = found.active_us_before + less.active_us, units_before = found.units_before + less.units,
           micro_before = found.micro_before + less.micro
      from chunk_less less where found.list = less.list and found.first_seq = less.first_seq
  )
  select account_id as id from account`;

/**
 * Moves the rows of these accounts up to a number to their partition balances. Their marks must be locked by the transaction (`claimMarks`).
 *
 * @returns the accounts that were moved; others have rows that are not summed up yet.
 */
export async function moveToPartitionBalances(tx: Sql, accountIds: readonly string[], last: bigint): Promise<string[]> {
  // Hashes are made of many rows here, which the pool's plans otherwise avoid.
  await tx.query('set local plan_cache_mode = force_custom_plan');
  const rows = await tx.query<{ id: string }>(moveStatement, [accountIds, last], { timeoutMs });
  return rows.map(({ id }) => id);
}
