import type { Sql } from '#db';

export type UsageFinding = { accountId: string; subject: string; message: string };

// Whole tables are read.
const timeoutMs = 30 * 60_000;

/*
 * What `usage_sums` and `usage_places` have to be, from the rows up to each account's mark, against what they are. It is
 * said in other words than the statement that makes them says it.
 */
const statement = `
  with row as (
    select ledger.*, coalesce(model_requested, model_served, '') as model,
           round(coalesce(active_ms, 0) * 1000)::bigint as active_us
      from ledger join usage_marks mark using (account_id) where ledger.seq <= mark.seq
  ), due as (
    select account_id, 0 as node, '' as key_id, '' as project_id, '' as model, type, created_at, seq, active_us, units, micro
      from row
    union all select account_id, 1, '', '', model, type, created_at, seq, active_us, units, micro from row
    union all select account_id, 2, coalesce(key_id, ''), '', '', type, created_at, seq, active_us, units, micro from row
    union all select account_id, 3, '', coalesce(project_id, ''), '', type, created_at, seq, active_us, units, micro from row
    union all select account_id, 4, coalesce(key_id, ''), coalesce(project_id, ''), model, type, created_at, seq,
                     active_us, units, micro from row
  ), bucketed as (
    select due.*, 'ever' as grain, '-infinity'::timestamptz as bucket from due
    union all select due.*, 'day', date_bin('1 day', created_at, '2000-01-01T00:00:00Z') from due
    union all select due.*, 'hour', date_bin('1 hour', created_at, '2000-01-01T00:00:00Z') from due
  ), expected as (
    select account_id, node, grain, bucket, key_id, project_id, model, type, count(*) as rows,
           sum(active_us)::bigint as active_us, coalesce(sum(units), 0)::bigint as units, sum(micro)::bigint as micro,
           min(seq) as first_seq, max(seq) as last_seq
      from bucketed group by 1, 2, 3, 4, 5, 6, 7, 8
  ), wrong_sum as (
    select coalesce(expected.account_id, found.account_id) as account_id,
           concat_ws('/', coalesce(expected.grain, found.grain), coalesce(expected.bucket, found.bucket),
             nullif(coalesce(expected.key_id, found.key_id), ''),
             nullif(coalesce(expected.project_id, found.project_id), ''),
             nullif(coalesce(expected.model, found.model), ''), coalesce(expected.type, found.type)) as subject,
           format('%s rows and %s micro-credits are summed up, the ledger has %s and %s',
             coalesce(found.rows, 0), coalesce(found.micro, 0), coalesce(expected.rows, 0), coalesce(expected.micro, 0))
             as message
      from expected full join usage_sums found using (account_id, node, grain, bucket, key_id, project_id, model, type)
     where (expected.rows, expected.active_us, expected.units, expected.micro, expected.first_seq, expected.last_seq)
           is distinct from (found.rows, found.active_us, found.units, found.micro, found.first_seq, found.last_seq)
  ), place as (
    select account_id, 'key' as dimension, key_id as value, seq from row where key_id is not null
    union all select account_id, 'project', project_id, seq from row where project_id is not null
    union all select account_id, 'model', model, seq from row where model <> ''
  ), wrong_place as (
    select coalesce(expected.account_id, found.account_id) as account_id,
           coalesce(expected.dimension, found.dimension) || ' ' || coalesce(expected.value, found.value) as subject,
           'the places of its rows in the ledger are wrong' as message
      from (select account_id, dimension, value, array_agg(seq order by seq) as seqs from place group by 1, 2, 3) expected
      full join (
           select account_id, dimension, value, array_agg(seq order by first_seq, n) as seqs,
                  bool_and(preceding = before) as counted
             from (select *, sum(cardinality(seqs)) over (
                             partition by account_id, dimension, value order by first_seq) - cardinality(seqs) as before
                     from usage_places) chunk
            cross join lateral unnest(seqs) with ordinality as entry (seq, n)
            group by 1, 2, 3) found using (account_id, dimension, value)
     where expected.seqs is distinct from found.seqs or not found.counted
  )
  select account_id as "accountId", subject, message from wrong_sum
  union all select account_id, subject, message from wrong_place
  limit 1000`;

/** Where sums differ from the ledger; at most a thousand. */
export function listUsageDiscrepancies(sql: Sql): Promise<UsageFinding[]> {
  return sql.query<UsageFinding>(statement, [], { timeoutMs });
}
