import type { Sql } from '#db';
import type { Micro } from '#kernel';
import {
  type Bindings,
  createBindings,
  hasList,
  isCall,
  isNoCall,
  nameOf,
  ofTypes,
  onLedger,
  type UsageFilter,
  wantsCalls,
  wantsOthers,
} from './filter.ts';
import { type Grain, partsOf, type SpanParts } from './span.ts';

export type UsageTotals = {
  rows: number;
  /** Calls among the rows. */
  requests: number;
  activeUs: bigint;
  units: bigint;
  /** Signed, as the rows. */
  micro: Micro;
};

export type GroupBy = 'hour' | 'day' | 'type' | 'key' | 'project' | 'model';

/** null: rows without such a thing. */
export type UsageGroup = UsageTotals & { value: string | null };

type Grouping = GroupBy | 'nothing';

type TotalsRow = {
  /** null: the total. */
  value: string | null;
  groups: bigint;
  rows: bigint;
  requests: bigint;
  active_us: bigint;
  units: bigint;
  micro: bigint;
};

/**
 * Exact totals of the rows under a filter, without reading most of them: sums up to the account's mark, the ledger
 * behind it and at the ends of the span, in one statement and so in one snapshot.
 */
export async function sumUsage(sql: Sql, filter: UsageFilter): Promise<UsageTotals> {
  const [row] = await queryTotals(sql, filter, { by: 'nothing', limit: 0 });
  return totalsOf(row);
}

/**
 * The same by hour or day (in order of time), or by something else (what cost most first). The filter may ask for a
 * span and for types.
 *
 * @param limit groups at most; `groups` says how many there are.
 */
export async function sumUsageBy(
  sql: Sql,
  filter: Omit<UsageFilter, 'keyId' | 'projectId' | 'model'>,
  { by, limit }: { by: GroupBy; limit: number },
): Promise<{ groups: number; data: UsageGroup[]; totals: UsageTotals }> {
  const all = { ...filter, keyId: null, projectId: null, model: null };
  const [total, ...data] = await queryTotals(sql, all, { by, limit });
  return {
    groups: Number(total?.groups ?? 0n),
    data: data.map((row) => ({ value: row.value || null, ...totalsOf(row) })),
    totals: totalsOf(total),
  };
}

/** The first row is the total. */
function queryTotals(sql: Sql, filter: UsageFilter, { by, limit }: { by: Grouping; limit: number }) {
  const bindings = createBindings();
  // What is not part of the statement must not bind a value either.
  const calls = () => (hasList(filter) ? [listedCalls(filter, bindings)] : callParts(filter, by, bindings));
  const parts = [
    ...(wantsCalls(filter) ? calls() : []),
    ...(wantsOthers(filter) ? [otherRows(filter, by, bindings)] : []),
  ];
  const inTime = by === 'hour' || by === 'day';
  const sums = ['rows', 'requests', 'active_us', 'units', 'micro'];
  const added = sums.map((name) => `usage_sum(${name}) as ${name}`).join(', ');
  const text = `
    with grouped as materialized (
      select value, ${added} from (${parts.join(' union all ')}) part group by value having usage_sum(rows) > 0
    )
    select * from (
      select null as value, count(*) as groups, ${added} from grouped
      union all
      (select value, 0, ${sums.join(', ')} from grouped
        order by ${inTime ? '' : 'micro, '}value limit ${bindings.bind(limit)})
    ) told
    order by value is null desc, ${inTime ? '' : 'micro, '}value`;
  return sql.query<TotalsRow>(text, bindings.values, { name: nameOf(text) });
}

function listedCalls({ accountId, keyId, projectId, model, since, until }: UsageFilter, { bind }: Bindings): string {
  const dimensions = [accountId, keyId, projectId, model].map((value) => `${bind(value)}::text`).join(', ');
  const span = [since, until].map((time) => `${bind(time)}::timestamptz`).join(', ');
  return `select '' as value, rows, rows as requests, active_us, units, micro from usage_between(${dimensions}, ${span})`;
}

const grainsOf: Record<Grouping, readonly Grain[]> = {
  nothing: ['hour', 'day', 'ever'],
  type: ['hour', 'day', 'ever'],
  hour: ['hour'],
  day: ['hour', 'day'],
  key: ['day'],
  project: ['day'],
  model: ['day'],
};

const day = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD')`;
const hour = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:00:00.000"Z"')`;

/** What rows of the ledger, of `usage_hours` and of `usage_days` are grouped by. */
const groupOf: Record<Grouping, { ledger: string; hours: string; days: string }> = {
  nothing: { ledger: `''`, hours: `''`, days: `''` },
  type: { ledger: 'type', hours: `'inference'`, days: `'inference'` },
  hour: { ledger: hour('created_at'), hours: hour('hour'), days: '' },
  day: { ledger: day('created_at'), hours: day('hour'), days: day('day') },
  key: { ledger: `coalesce(key_id, '')`, hours: '', days: 'value' },
  project: { ledger: `coalesce(project_id, '')`, hours: '', days: 'value' },
  model: { ledger: `coalesce(model_requested, model_served, '')`, hours: '', days: 'value' },
};

const summed = `usage_sum(rows) as rows, usage_sum(rows) as requests, usage_sum(active_us) as active_us,
  usage_sum(units) as units, usage_sum(micro) as micro`;
const fromRows = `count(*) as rows, count(*) filter (where ${isCall}) as requests,
  usage_sum(round(coalesce(active_ms, 0) * 1000)::bigint) as active_us, usage_sum(units) as units,
  usage_sum(micro) as micro`;

/** Calls of the whole account: sums of its days and hours, rows at the ends of the span and behind the mark. */
function callParts(filter: UsageFilter, by: Grouping, bindings: Bindings): string[] {
  const parts = partsOf(filter, grainsOf[by]);
  const account = bindings.bind(filter.accountId);
  const group = groupOf[by];
  const mark = `coalesce((select seq from usage_marks where account_id = ${account}), 0)`;
  return [
    ...summedParts(parts, by, { account, bindings }),
    ...(parts.edges.length > 0 ? [edgeRows(parts, { account, group: group.ledger, bindings })] : []),
    `select ${group.ledger} as value, ${fromRows} from ledger
      where account_id = ${account} and seq > ${mark} and ${isCall}${onLedger(filter, bindings)} group by 1`,
  ];
}

type Place = { account: string; bindings: Bindings };

function summedParts({ summed: spans }: SpanParts, by: Grouping, { account, bindings }: Place): string[] {
  const group = groupOf[by];
  const dimension = ` and dimension = '${by === 'key' || by === 'project' || by === 'model' ? by : 'all'}'`;
  return spans.flatMap((span) => {
    if (span.grain === 'ever')
      return `select ${group.days} as value, rows, rows as requests, active_us, units, micro
                from usage_marks where account_id = ${account}`;
    const bind = (time: Date | null, open: string) => `${bindings.bind(time?.toISOString() ?? open)}::timestamptz`;
    const [from, to] = [bind(span.since, '-infinity'), bind(span.until, 'infinity')];
    return `select ${span.grain === 'hour' ? group.hours : group.days} as value, ${summed}
              from ${span.grain === 'hour' ? 'usage_hours' : 'usage_days'}
             where account_id = ${account}${span.grain === 'day' ? dimension : ''}
               and ${span.grain} >= ${from} and ${span.grain} < ${to} group by 1`;
  });
}

/** The hours of an edge say where in the ledger its rows are. */
function edgeRows({ edges }: SpanParts, { account, group, bindings: { bind } }: Place & { group: string }): string {
  const ends = [bind(edges.map(({ since }) => since)), bind(edges.map(({ until }) => until))];
  const weights = bind(edges.map(({ weight }) => weight));
  return `
    select ${group} as value, usage_sum(weight) as rows, usage_sum(weight) as requests,
           usage_sum(weight * round(active_ms * 1000)::bigint) as active_us, usage_sum(weight * units) as units,
           usage_sum(weight * micro) as micro
      from unnest(${ends[0]}::timestamptz[], ${ends[1]}::timestamptz[], ${weights}::bigint[])
             as edge (since, until, weight)
     cross join lateral (
             select min(first_seq) as first_seq, max(last_seq) as last_seq from usage_hours
              where account_id = ${account} and hour >= date_trunc('hour', edge.since, 'UTC') and hour < edge.until) found
     cross join lateral (
             select * from ledger
              where account_id = ${account} and seq between found.first_seq and found.last_seq and ${isCall}
                and created_at >= edge.since and created_at < edge.until) row
     group by 1`;
}

function otherRows(filter: UsageFilter, by: Grouping, bindings: Bindings): string {
  const account = bindings.bind(filter.accountId);
  return `select ${groupOf[by].ledger} as value, ${fromRows} from ledger
    where account_id = ${account} and seq > partition_balance_seq(${account}) and ${isNoCall}${ofTypes(filter, bindings)}${onLedger(filter, bindings)}
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
