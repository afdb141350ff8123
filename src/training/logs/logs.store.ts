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
