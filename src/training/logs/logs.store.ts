import type { Sql } from '#db';
import type { AttemptName } from '../jobs/job.ts';
import type { TrainerFailure } from '../runners/trainer-events.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';
export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

export type NewLogLine = {
  level: LogLevel;
  source: 'system' | 'trainer';
  message: string;
  data?: Record<string, unknown> | null;
};

export type LogLine = Required<NewLogLine> & { seq: bigint; attempt: number; at: Date };

/**
 * Writes lines under the next numbers of their job, whose row is locked by that: numbers have no gaps, and become visible
 * in their order. Returns the last number.
 */
export async function appendLogs(
  tx: Sql,
  { jobId, attempt }: { jobId: string; attempt: number },
  lines: readonly NewLogLine[],
): Promise<bigint> {
  const [row] = await tx.query<{ last: bigint }>(
    `with job as (
       update training_jobs set log_seq = log_seq + $3, updated_at = now() where id = $1 returning log_seq
     ), written as (
       insert into training_logs (job_id, seq, attempt, level, source, message, data)
       select $1, job.log_seq - $3 + n, $2, level, source, message, data
         from job cross join unnest($4::text[], $5::text[], $6::text[], $7::jsonb[]) with ordinality
                as line (level, source, message, data, n)
     )
     select log_seq as last from job`,
    [
      ...[jobId, attempt, lines.length, lines.map(({ level }) => level), lines.map(({ source }) => source)],
      ...[lines.map(({ message }) => message), lines.map(({ data }) => (data ? JSON.stringify(data) : null))],
    ],
  );
  if (!row) throw new Error(`There is no job ${jobId}. This is a bug.`);
  return row.last;
}

export type LogFilter = {
  jobId: string;
  attempt: number | null;
  levels: readonly LogLevel[];
};

export function listLogs(
  sql: Sql,
  { jobId, attempt, levels }: LogFilter,
  { afterSeq, limit }: { afterSeq: bigint; limit: number },
): Promise<LogLine[]> {
  return sql.query<LogLine>(
    `select seq, attempt, at, level, source, message, data from training_logs
      where job_id = $1 and seq > $2 and ($3::integer is null or attempt = $3) and level = any($4::text[])
      order by seq limit $5`,
    [jobId, afterSeq, attempt, levels, limit],
    { name: 'training.logs' },
  );
}

export async function countLogs(
  sql: Sql,
  { jobId, attempt, levels }: LogFilter,
  { afterSeq }: { afterSeq: bigint },
): Promise<number> {
  const [row] = await sql.query<{ total: number }>(
    `select count(*)::integer as total from training_logs
      where job_id = $1 and seq > $2 and ($3::integer is null or attempt = $3) and level = any($4::text[])`,
    [jobId, afterSeq, attempt, levels],
  );
  return row?.total ?? 0;
}

/** Versions of what the trainer of an attempt runs with, as its first event has them. */
export async function findHello(sql: Sql, jobId: string, attempt: number): Promise<Record<string, string>> {
  const [row] = await sql.query<{ versions: Record<string, string> | null }>(
    `select data->'versions' as versions from training_logs
      where job_id = $1 and attempt = $2 and source = 'trainer' and data->>'event' = 'hello' order by seq desc limit 1`,
    [jobId, attempt],
  );
  return row?.versions ?? {};
}

/** What the last trainer of an attempt reported of its failure in its last event; null: nothing, or only that it was interrupted. */
export async function findFailure(sql: Sql, { jobId, attempt }: AttemptName): Promise<TrainerFailure | null> {
  const [row] = await sql.query<{ event: string; error: TrainerFailure | null }>(
    `select data->>'event' as event, data->'error' as error from training_logs
      where job_id = $1 and attempt = $2 and source = 'trainer' and data->>'event' in ('hello', 'failed')
      order by seq desc limit 1`,
    [jobId, attempt],
  );
  return row?.event === 'failed' && row.error?.code !== 'worker_lost' ? row.error : null;
}

/** Metrics of the weights that are kept. They are part of the result and no series. */
export const resultPrefix = 'result.';

export type MetricPoint = { name: string; step: number; value: number };

/** The metrics of an attempt, evenly thinned to so many points of each name; the last one is always there. */
export function listMetrics(
  sql: Sql,
  { jobId, attempt, maxPoints }: { jobId: string; attempt: number; maxPoints: number },
): Promise<MetricPoint[]> {
  return sql.query<MetricPoint>(
    `select name, step, value from (
       select name, step, value, row_number() over (partition by name order by step desc) - 1 as back,
              greatest(1, ceil(count(*) over (partition by name) / $3::float8))::integer as every
         from training_metrics
        where job_id = $1 and attempt = $2 and not starts_with(name, '${resultPrefix}')) numbered
      where back % every = 0 order by name, step`,
    [jobId, attempt, maxPoints],
  );
}

/** A step that is done again replaces its values. */
export async function writeMetrics(
  tx: Sql,
  { jobId, attempt }: AttemptName,
  points: readonly MetricPoint[],
): Promise<void> {
  const latest = new Map(points.map((each) => [`${each.name} ${each.step}`, each]));
  const rows = [...latest.values()];
  if (rows.length === 0) return;
  await tx.query(
    `insert into training_metrics (job_id, attempt, name, step, value)
     select $1, $2, name, step, value from unnest($3::text[], $4::integer[], $5::float8[]) as row (name, step, value)
     on conflict (job_id, attempt, name, step) do update set value = excluded.value`,
    [jobId, attempt, rows.map(({ name }) => name), rows.map(({ step }) => step), rows.map(({ value }) => value)],
  );
}

export async function readLastMetrics(
  sql: Sql,
  { jobId, attempt }: AttemptName,
  prefix: string,
): Promise<Record<string, number>> {
  const rows = await sql.query<{ name: string; value: number }>(
    `select distinct on (name) name, value from training_metrics
      where job_id = $1 and attempt = $2 and starts_with(name, $3) order by name, step desc`,
    [jobId, attempt, prefix],
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name.slice(prefix.length), value]));
}
