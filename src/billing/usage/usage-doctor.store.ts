import type { Sql } from '#db';

export type UsageFinding = { accountId: string; subject: string; message: string };

// Whole tables are read.
const timeoutMs = 30 * 60_000;

/*
 * What the tables of usage have to be, from the calls up to each account's mark, against what they are. It is computed
 * in another way than by the statement that makes them.
 */
const statement = `
  with call as (
    select ledger.*, coalesce(model_requested, model_served) as model, round(active_ms * 1000)::bigint as active_us,
           date_bin('1 hour', created_at, '2000-01-01T00:00:00Z') as hour,
           date_bin('1 day', created_at, '2000-01-01T00:00:00Z') as day
      from ledger join usage_marks mark using (account_id) left join ledger_partition_balances before using (account_id)
     where ledger.seq <= mark.seq and ledger.seq > coalesce(before.seq, 0) and type = 'inference'
  ), due_mark as (
    select account_id, count(*) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
      from call group by 1
  ), wrong_mark as (
    select account_id, 'all calls' as subject, found.rows, found.micro, due.rows as due_rows, due.micro as due_micro
      from usage_marks found left join due_mark due using (account_id)
     where (found.rows, found.active_us, found.units, found.micro) is distinct from
           (coalesce(due.rows, 0), coalesce(due.active_us, 0), coalesce(due.units, 0), coalesce(due.micro, 0))
  ), due_hour as (
    select account_id, hour, count(*) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro,
           min(seq) as first_seq, max(seq) as last_seq
      from call group by 1, 2
  ), wrong_hour as (
    select account_id, 'hour ' || hour, found.rows, found.micro, due.rows, due.micro
      from due_hour due full join usage_hours found using (account_id, hour)
     where (due.rows, due.active_us, due.units, due.micro, due.first_seq, due.last_seq) is distinct from
           (found.rows, found.active_us, found.units, found.micro, found.first_seq, found.last_seq)
  ), due_day as (
    select account_id, dimension, day, value, count(*) as rows, sum(active_us) as active_us, sum(units) as units,
           sum(micro) as micro
      from call
     cross join lateral (
             select 'all' as dimension, '' as value
             union all select 'key', coalesce(key_id, '')
             union all select 'project', coalesce(project_id, '')
             union all select 'model', coalesce(model, '')) each
     group by 1, 2, 3, 4
  ), wrong_day as (
    select account_id, concat_ws(' ', 'day', day, dimension, value), found.rows, found.micro, due.rows, due.micro
      from due_day due full join usage_days found using (account_id, dimension, day, value)
     where (due.rows, due.active_us, due.units, due.micro) is distinct from
           (found.rows, found.active_us, found.units, found.micro)
  ), made as (
    select account_id, key_id, project_id, model, row_number() over () as n
      from (select distinct account_id, key_id, project_id, model from call) each
  ), listed as materialized (
    select n, usage_list(account_id, key_id, null, null) as list from made where key_id is not null
    union all
    select n, usage_list(account_id, null, project_id, null) from made where project_id is not null
    union all
    select n, usage_list(account_id, null, null, model) from made where model is not null
    union all
    select n, usage_list(account_id, key_id, project_id, null) from made where num_nulls(key_id, project_id) = 0
    union all
    select n, usage_list(account_id, key_id, null, model) from made where num_nulls(key_id, model) = 0
    union all
    select n, usage_list(account_id, null, project_id, model) from made where num_nulls(project_id, model) = 0
    union all
    select n, usage_list(account_id, key_id, project_id, model) from made where num_nulls(key_id, project_id, model) = 0
  ), entry as (
    select call.account_id, listed.list, seq, active_us, units, micro
      from call
      join made on made.account_id = call.account_id and coalesce(made.key_id, '') = coalesce(call.key_id, '')
       and coalesce(made.project_id, '') = coalesce(call.project_id, '') and coalesce(made.model, '') = coalesce(call.model, '')
      join listed using (n)
  ), due_list as (
    select list, min(account_id) as account_id, array_agg(seq order by seq) as seqs, sum(active_us) as active_us,
           sum(units) as units, sum(micro) as micro
      from entry group by list
  ), chunk as (
    select *, row_number() over of_list as n,
           lag(rows_before + cardinality(seqs), 1, is_cut * rows_before) over of_list as due_rows_before,
           lag(active_us_before + active_us, 1, is_cut * active_us_before) over of_list as due_active_us_before,
           lag(units_before + units, 1, is_cut * units_before) over of_list as due_units_before,
           lag(micro_before + micro, 1, is_cut * micro_before) over of_list as due_micro_before
      from (select usage_lists.*, (ledger_partition_balances is not null)::integer as is_cut
              from usage_lists left join due_list using (list) left join ledger_partition_balances using (account_id)) found
    window of_list as (partition by list order by first_seq)
  ), compared as materialized (
    select list, n, seqs, first_seq = (select min(seq) from unnest(seqs) as seq)
             and (rows_before, active_us_before, units_before, micro_before) =
                 (due_rows_before, due_active_us_before, due_units_before, due_micro_before) as is_right
      from chunk
  ), found_list as (
    select list, array_agg(seq order by n, seq) as seqs, bool_and(is_right) as is_right
      from compared cross join lateral unnest(seqs) as entry (seq) group by list
  ), found_sum as (
    select list, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro from usage_lists group by list
  ), wrong_list as (
    select coalesce(due.account_id, ''), 'list ' || list, cardinality(found.seqs), sums.micro, cardinality(due.seqs), due.micro
      from due_list due full join found_list found using (list) left join found_sum sums using (list)
     where (due.seqs, due.active_us, due.units, due.micro) is distinct from
           (found.seqs, sums.active_us, sums.units, sums.micro) or not found.is_right
  )
  select account_id as "accountId", subject,
         format('%s calls of %s micro-credits are summed up, the ledger has %s of %s',
           coalesce(rows, 0), coalesce(micro, 0), coalesce(due_rows, 0), coalesce(due_micro, 0)) as message
    from (select * from wrong_mark union all select * from wrong_hour union all select * from wrong_day
          union all select * from wrong_list) wrong
   limit 1000`;

/** Where sums and lists differ from the ledger; at most a thousand. */
export function listUsageDiscrepancies(sql: Sql): Promise<UsageFinding[]> {
  return sql.query<UsageFinding>(statement, [], { timeoutMs });
}
