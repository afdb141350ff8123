import type { Bindings } from './filter.ts';
import type { Span } from './span.ts';

type Place = { account: string; bindings: Bindings };

/** Sums of the calls of some whole days by key, project or model; several of one value are to be added. */
export function monthlyParts(
  { since, until }: Span,
  dimension: 'key' | 'project' | 'model',
  { account, bindings }: Place,
): string[] {
  const time = (at: Date) => `${bindings.bind(at.toISOString())}::timestamptz`;
  const of = `account_id = ${account} and dimension = '${dimension}'`;
  const span = [
    since === null ? '' : ` and month >= ${time(monthOf(since))}`,
    until === null ? '' : ` and month < ${time(monthOf(until))}`,
  ].join('');

  /** What lies before a day in its month: see 0026_usage_by_month.sql. */
  const before = (day: Date, sign: '' | '-'): string[] => {
    if (day.getTime() === monthOf(day).getTime()) return [];
    const month = time(monthOf(day));
    const border = `(select min(day) from usage_month_parts where account_id = ${account} and dimension = 'all'
                      and day >= ${time(day)} and day < ${month} + interval '1 month')`;
    return [
      `select ${sums(sign)} from usage_month_parts where ${of} and day = ${border}`,
      `select ${sums(sign)} from usage_months where ${of} and month = ${month} and ${border} is null`,
    ];
  };

  return [
    `select ${sums('')} from usage_months where ${of}${span}`,
    ...(since === null ? [] : before(since, '-')),
    ...(until === null ? [] : before(until, '')),
  ];
}

const sums = (sign: '' | '-') =>
  `value, ${sign}rows as rows, ${sign}rows as requests, ${sign}active_us as active_us, ${sign}units as units,
   ${sign}micro as micro`;

const monthOf = (day: Date): Date => new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth()));
