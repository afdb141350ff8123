import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { LimitedSubject, LimitName, Usage } from './call-limits.ts';

/** A call that wants to be let in; `micro` is the most that it may cost. */
export type LimitedCall = { requestId: string; micro: Micro; subjects: readonly LimitedSubject[] };

type Row = {
  call: number;
  subject: string;
  refused_by: LimitName | null;
  requests: number;
  minute_seconds: number;
  running: number;
  spent: bigint;
  day_seconds: number;
};

const timeoutMs = 5_000;

/**
 * Lets in what all limits allow, in the given order and in one statement: exact over any number of processes. What is
 * refused counts nowhere. `at` is the time; null is the database's own.
 *
 * @returns for each call the use of each of its subjects.
 */
export async function enterLimitedCalls(
  sql: Sql,
  { calls, instanceId, at }: { calls: readonly LimitedCall[]; instanceId: string; at: Date | null },
): Promise<Map<string, Usage>[]> {
  const checks = calls.flatMap(({ subjects }, index) => subjects.map((subject) => ({ ...subject, call: index + 1 })));
  const rows = await sql.query<Row>(
    'select * from enter_limited_calls($1, $2, $3, $4, $5, $6, $7, $8, $9)',
    [
      calls.map(({ requestId }) => requestId),
      calls.map(({ micro }) => micro),
      checks.map(({ call }) => call),
      checks.map(({ id }) => id),
      checks.map(({ limits }) => limits.requestsPerMinute),
      checks.map(({ limits }) => limits.concurrentRequests),
      checks.map(({ limits }) => limits.creditsPerDayMicro),
      instanceId,
      at,
    ],
    { name: 'limits.enter', timeoutMs },
  );
  const used = calls.map(() => new Map<string, Usage>());
  for (const row of rows) used[row.call - 1]?.set(row.subject, usageOf(row));
  return used;
}

function usageOf(row: Row): Usage {
  return {
    refusedBy: row.refused_by,
    requests: row.requests,
    minuteSeconds: row.minute_seconds,
    running: row.running,
    spentMicro: row.spent,
    daySeconds: row.day_seconds,
  };
}

/** Tells that calls are over; those that are not in flight are passed over. */
export async function leaveLimitedCalls(sql: Sql, requestIds: readonly string[], at: Date | null): Promise<void> {
  await sql.query('select leave_limited_calls($1, $2)', [requestIds, at], { name: 'limits.leave', timeoutMs });
}

/** Calls in flight of one process, and those of processes that are dead. */
export async function listCallsToClose(sql: Sql, instanceId: string): Promise<{ own: string[]; dead: string[] }> {
  const rows = await sql.query<{ request_id: string; own: boolean }>(
    `select distinct request_id, instance_id = $1 as own from limited_calls
      where instance_id = $1 or not exists (select from instances where instances.id = limited_calls.instance_id)`,
    [instanceId],
    { name: 'limits.calls_to_close' },
  );
  const idsOf = (own: boolean) => rows.filter((row) => row.own === own).map((row) => row.request_id);
  return { own: idsOf(true), dead: idsOf(false) };
}

/** Removes counters that have rested for days; the next call makes them anew. */
export async function deleteRestingCounters(sql: Sql, at: Date | null): Promise<void> {
  await sql.query(
    `delete from limit_counters where subject in (
       select subject from limit_counters where day < (coalesce($1, now()) at time zone 'UTC')::date - 2
        limit 500 for update skip locked)`,
    [at],
  );
}
