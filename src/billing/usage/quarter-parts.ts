import type { Bindings } from './filter.ts';
import type { Span } from './span.ts';

type Place = { account: string; bindings: Bindings };

/** Sums of the calls of some whole days by key, project or model; several of one value are to be added. */
export function quarterlyParts(
  { since, until }: Span,
  dimension: 'key' | 'project' | 'model',
  { account, bindings }: Place,
): string[] {
  const time = (at: Date) => `${bindings.bind(at.toISOString())}::timestamptz`;
  const of = `account_id = ${account} and dimension = '${dimension}'`;
  const span = [
    since === null ? '' : ` and quarter >= ${time(quarterOf(since))}`,
    until === null ? '' : ` and quarter < ${time(quarterOf(until))}`,
  ].join('');

  /** What lies before a day in its quarter: see 0026_usage_by_quarter.sql. */
  const before = (day: Date, sign: '' | '-'): string[] => {
    if (day.getTime() === quarterOf(day).getTime()) return [];
    const quarter = time(quarterOf(day));
    const border = `(select min(day) from usage_quarter_parts where account_id = ${account} and dimension = 'all'
                      and day >= ${time(day)} and day < ${quarter} + interval '3 months')`;
    return [
      `select ${sums(sign)} from usage_quarter_parts where ${of} and day = ${border}`,
      `select ${sums(sign)} from usage_quarters where ${of} and quarter = ${quarter} and ${border} is null`,
    ];
  };

  return [
    `select ${sums('')} from usage_quarters where ${of}${span}`,
    ...(since === null ? [] : before(since, '-')),
    ...(until === null ? [] : before(until, '')),
  ];
}

const sums = (sign: '' | '-') =>
  `value, ${sign}rows as rows, ${sign}rows as requests, ${sign}active_us as active_us, ${sign}units as units,
   ${sign}micro as micro`;

const quarterOf = (day: Date): Date => new Date(Date.UTC(day.getUTCFullYear(), Math.floor(day.getUTCMonth() / 3) * 3));
