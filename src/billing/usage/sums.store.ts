import type { Sql } from '#db';
import type { Micro } from '#kernel';

/*
 * The background's side of `usage_sums` and `usage_places` (0011_usage.sql). Exact by construction:
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
    `insert into usage_marks (account_id) select id from unnest($1::text[]) as asked (id) order by id
     on conflict do nothing`,
    [accountIds],
  );
  const rows = await tx.query<{ account_id: string }>(
    `select account_id from usage_marks where account_id = any($1::text[]) order by account_id for update skip locked`,
    [accountIds],
  );
  return rows.map((row) => row.account_id);
}

/*
 *   fresh     rows behind the mark, at most $2 of an account
 *   fine      their sums by hour and everything else
 *   summed    those, added to every node and grain
 *   entry     each key, project and model of each row; `ending` is the last chunk of each of them
 *   piece     entries by the chunk where they go: behind what is in the last one, then into new ones
 *   ordered   how far each row lies behind the latest before it
 *   moved     the mark, which goes to the last of the rows
 */
const sumUpStatement = `
  with mark as (
    select * from usage_marks where account_id = any($1::text[])
  ), fresh as materialized (
    select row.account_id, row.seq, row.type, row.micro, row.balance_after_micro, row.created_at,
           coalesce(row.key_id, '') as key_id, coalesce(row.project_id, '') as project_id,
           coalesce(row.model_requested, row.model_served, '') as model,
           round(coalesce(row.active_ms, 0) * 1000)::bigint as active_us, coalesce(row.units, 0) as units
      from mark cross join lateral (
             select * from ledger where ledger.account_id = mark.account_id and ledger.seq > mark.seq
              order by ledger.seq limit $2) row
  ), fine as (
    select account_id, date_trunc('hour', created_at, 'UTC') as hour, key_id, project_id, model, type,
           count(*) as rows, sum(active_us) as active_us, sum(units) as units, sum(micro) as micro,
           min(seq) as first_seq, max(seq) as last_seq
      from fresh group by 1, 2, 3, 4, 5, 6
  ), summed as (
    insert into usage_sums (account_id, node, grain, bucket, key_id, project_id, model, type,
                            rows, active_us, units, micro, first_seq, last_seq)
    select account_id, node, grain,
           case grain when 'hour' then hour when 'day' then date_trunc('day', hour, 'UTC') else '-infinity' end as bucket,
           case when node in (2, 4) then key_id else '' end as key_id,
           case when node in (3, 4) then project_id else '' end as project_id,
           case when node in (1, 4) then model else '' end as model, type,
           sum(rows), sum(active_us), sum(units), sum(micro), min(first_seq), max(last_seq)
      from fine cross join generate_series(0, 4) as node cross join (values ('hour'), ('day'), ('ever')) as span (grain)
     group by 1, 2, 3, 4, 5, 6, 7, 8
    on conflict (account_id, node, grain, bucket, key_id, project_id, model, type) do update
       set rows = usage_sums.rows + excluded.rows, active_us = usage_sums.active_us + excluded.active_us,
           units = usage_sums.units + excluded.units, micro = usage_sums.micro + excluded.micro,
           last_seq = excluded.last_seq
  ), entry as (
    select account_id, dimension, value, seq,
           row_number() over (partition by account_id, dimension, value order by seq) as n
      from fresh cross join lateral (
             values ('key', key_id), ('project', project_id), ('model', model)) as place (dimension, value)
     where value <> ''
  ), ending as (
    select known.*, chunk.first_seq, coalesce(chunk.preceding, 0) as preceding,
           coalesce(cardinality(chunk.seqs), 0) as filled
      from (select distinct account_id, dimension, value from entry) known
      left join lateral (
             select * from usage_places place
              where place.account_id = known.account_id and place.dimension = known.dimension
                and place.value = known.value
              order by place.first_seq desc limit 1) chunk on true
  ), piece as (
    select account_id, dimension, value, ending.first_seq, preceding,
           (preceding + filled + n - 1) / 100 as number, array_agg(seq order by seq) as seqs
      from entry join ending using (account_id, dimension, value)
     group by 1, 2, 3, 4, 5, 6
  ), placed as (
    insert into usage_places (account_id, dimension, value, first_seq, preceding, seqs)
    select account_id, dimension, value,
           case when first_seq is not null and number = preceding / 100 then first_seq else seqs[1] end,
           number * 100, seqs
      from piece
    on conflict (account_id, dimension, value, first_seq) do update set seqs = usage_places.seqs || excluded.seqs
  ), ordered as (
    select fresh.*, greatest(mark.latest_at, max(created_at) over (
             partition by account_id order by fresh.seq rows between unbounded preceding and 1 preceding)) as latest_before
      from fresh join mark using (account_id)
  ), reached as (
    select account_id, count(*)::integer as rows, max(seq) as seq, max(created_at) as latest_at,
           max(latest_before - created_at) as disorder, max(balance_after_micro) as most_micro,
           (array_agg(balance_after_micro order by seq desc))[1] as balance_micro
      from ordered group by account_id
  ), moved as (
    update usage_marks
       set seq = reached.seq, is_low = balance_micro < $3,
           latest_at = greatest(usage_marks.latest_at, reached.latest_at),
           disorder = greatest(usage_marks.disorder, reached.disorder)
      from reached where usage_marks.account_id = reached.account_id
  )
  select account_id, reached.rows, balance_micro,
         balance_micro < $3 and (not is_low or most_micro >= $3) as became_low
    from reached join mark using (account_id)
   cross join (select set_config('synchronous_commit', 'off', true)) quick`;

export type SummedUp = { accountId: string; rows: number; balanceMicro: Micro; becameLow: boolean };

/**
 * Adds the next rows of these accounts, whose marks the transaction has locked. `becameLow`: the balance was at least
 * `lowMicro` at some point and is less now. What a crash of PostgreSQL forgets is done again.
 *
 * @returns one row for each account that had any.
 */
export async function sumUp(
  tx: Sql,
  { accountIds, rowsPerAccount, lowMicro }: { accountIds: readonly string[]; rowsPerAccount: number; lowMicro: Micro },
): Promise<SummedUp[]> {
  const rows = await tx.query<{ account_id: string; rows: number; balance_micro: bigint; became_low: boolean }>(
    sumUpStatement,
    [accountIds, rowsPerAccount, lowMicro],
    { name: 'usage.sum_up', timeoutMs: 60_000 },
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
