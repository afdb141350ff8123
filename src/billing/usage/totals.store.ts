import type { Sql } from '#db';
import type { Micro } from '#kernel';
import {
  type Bindings,
  createBindings,
  type Dimension,
  dimensionsOf,
  nodeOf,
  onLedger,
  onSums,
  type UsageFilter,
} from './filter.ts';
import { type Grain, partsOf } from './span.ts';

export type UsageTotals = {
  rows: number;
  /** Calls among the rows. */
  requests: number;
  activeUs: bigint;
  units: bigint;
  /** Signed, as the rows. */
  micro: Micro;
};

export type GroupBy = 'hour' | 'day' | 'type' | Dimension;

/** null: rows without such a thing. */
export type UsageGroup = UsageTotals & { value: string | null };

type TotalsRow = {
  value: string;
  is_total: boolean;
  groups: bigint;
  rows: bigint;
  requests: bigint;
  active_us: bigint;
  units: bigint;
  micro: bigint;
};

const day = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;
const hour = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"')`;
const longest: Partial<Record<GroupBy | 'nothing', Grain>> = { hour: 'hour', day: 'day' };
const groupColumns: Record<GroupBy | 'nothing', { sums: string; ledger: string }> = {
  nothing: { sums: `''`, ledger: `''` },
  hour: { sums: hour('bucket'), ledger: hour('created_at') },
  day: { sums: day('bucket'), ledger: day('created_at') },
  type: { sums: 'type', ledger: 'type' },
  key: { sums: 'key_id', ledger: `coalesce(key_id, '')` },
  project: { sums: 'project_id', ledger: `coalesce(project_id, '')` },
  model: { sums: 'model', ledger: `coalesce(model_requested, model_served, '')` },
};

const ledgerSums = `count(*) as rows, count(*) filter (where type = 'inference') as requests,
  sum(round(coalesce(active_ms, 0) * 1000)::bigint) as active_us, sum(units) as units, sum(micro) as micro`;

/**
 * Exact totals of the rows under a filter, without reading most of them: sums up to the account's mark, the ledger
 * behind it and at the ends of the span, in one statement and so in one snapshot.
 */
export async function sumUsage(sql: Sql, filter: UsageFilter): Promise<UsageTotals> {
  const [row] = await queryTotals(sql, filter, { by: 'nothing', limit: 0 });
  return totalsOf(row);
}

/**
 * The same by hour or day (in order of time), or by something else (what cost most first).
 *
 * @param limit groups at most; `groups` says how many there are.
 */
export async function sumUsageBy(
  sql: Sql,
  filter: UsageFilter,
  { by, limit }: { by: GroupBy; limit: number },
): Promise<{ groups: number; data: UsageGroup[]; totals: UsageTotals }> {
  const [total, ...data] = await queryTotals(sql, filter, { by, limit });
  return {
    groups: Number(total?.groups ?? 0n),
    data: data.map((row) => ({ value: row.value || null, ...totalsOf(row) })),
    totals: totalsOf(total),
  };
}

/** The first row is the total. */
function queryTotals(sql: Sql, filter: UsageFilter, { by, limit }: { by: GroupBy | 'nothing'; limit: number }) {
  const bindings = createBindings();
  const text = `
    with mark as (
      select coalesce((select seq from usage_marks where account_id = ${bindings.bind(filter.accountId)}), 0) as seq
    ), part as (
      ${partsText(filter, by, bindings)}
    )
    select value, grouping(value) = 1 as is_total, count(*) over () - 1 as groups,
           coalesce(sum(rows), 0)::bigint as rows, coalesce(sum(requests), 0)::bigint as requests,
           coalesce(sum(active_us), 0)::bigint as active_us, coalesce(sum(units), 0)::bigint as units,
           coalesce(sum(micro), 0)::bigint as micro
      from part group by grouping sets ((value), ())
     order by is_total desc, ${longest[by] ? '' : 'micro, '}value limit ${bindings.bind(limit + 1)}`;
  return sql.query<TotalsRow>(text, bindings.values);
}

/** Sums of whole hours and days; rows of the hours at the ends; rows behind the mark. */
function partsText(filter: UsageFilter, by: GroupBy | 'nothing', bindings: Bindings): string {
  const { summed, edges } = partsOf(filter, longest[by]);
  const { bind } = bindings;
  const account = bind(filter.accountId);
  const dimensions = new Set(dimensionsOf(filter).map(({ dimension }) => dimension));
  if (by === 'key' || by === 'project' || by === 'model') dimensions.add(by);
  const node = nodeOf(dimensions);
  const group = groupColumns[by];
  const spans = [
    bind(summed.map(({ grain }) => grain)),
    bind(summed.map(({ since }) => since?.toISOString() ?? '-infinity')),
    bind(summed.map(({ until }) => until?.toISOString() ?? 'infinity')),
  ];
  const ends = [bind(edges.map(({ since }) => since)), bind(edges.map(({ until }) => until))];
  return `
      select ${group.sums} as value, sum(rows) as rows, sum(rows) filter (where type = 'inference') as requests,
             sum(active_us) as active_us, sum(units) as units, sum(micro) as micro
        from unnest(${spans[0]}::text[], ${spans[1]}::timestamptz[], ${spans[2]}::timestamptz[])
               as span (grain, since, until)
        join usage_sums sums on account_id = ${account} and node = ${node} and sums.grain = span.grain
         and bucket >= span.since and bucket < span.until${onSums(filter, bindings)}
       group by 1
      union all
      select ${group.ledger}, ${ledgerSums}
        from unnest(${ends[0]}::timestamptz[], ${ends[1]}::timestamptz[]) as edge (since, until)
       cross join lateral (
               select min(first_seq) as first_seq, max(last_seq) as last_seq from usage_sums
                where account_id = ${account} and node = ${node} and grain = 'hour'
                  and bucket = date_trunc('hour', edge.since, 'UTC')${onSums(filter, bindings)}) hour
        join ledger on account_id = ${account} and seq between hour.first_seq and hour.last_seq
         and created_at >= edge.since and created_at < edge.until${onLedger(filter, bindings)}
       group by 1
      union all
      select ${group.ledger}, ${ledgerSums}
        from ledger where account_id = ${account} and seq > (select seq from mark)${onLedger(filter, bindings)}
       group by 1`;
}

function totalsOf(row: TotalsRow | undefined): UsageTotals {
  if (!row) throw new Error('There is always a total. This is a bug.');
  return {
    rows: Number(row.rows),
    requests: Number(row.requests),
    activeUs: row.active_us,
    units: row.units,
    micro: row.micro,
  };
}
