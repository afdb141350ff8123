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

/**
 * Calls that are set aside have no process any more: they neither run nor reserve anything, and wait for what they may yet
 * cost. No answer of a call is kept for so long that somebody could pay for it afterwards.
 */
const nobody = '';
const asideHours = 48;

/** Sets these calls aside; those that somebody else is busy with are left to him. */
export async function setAsideLimitedCalls(sql: Sql, requestIds: readonly string[]): Promise<void> {
  await sql.query(
    `with due as (
       select subject, request_id from limited_calls where request_id = any($1) for update skip locked
     )
     update limited_calls l set instance_id = $2, micro = 0
       from due where l.subject = due.subject and l.request_id = due.request_id`,
    [requestIds, nobody],
    { name: 'limits.set_aside', timeoutMs },
  );
}

/** A call in flight of this process, of one that is dead, or of none; over: it has been charged, or will never be. */
export type OpenCall = { requestId: string; of: 'self' | 'dead' | 'nobody'; isOver: boolean };

/** Calls that this process should look after. The sub-select is one look-up for each call: the ledger is large. */
export function listOpenCalls(sql: Sql, instanceId: string): Promise<OpenCall[]> {
  return sql.query(
    `select * from (
       select distinct l.request_id as "requestId",
              case l.instance_id when $1 then 'self' when $2 then 'nobody' else 'dead' end as of,
              (select once.micro from ledger_once once
                where once.type = 'inference' and once.request_id = l.request_id limit 1) is not null
                or (l.instance_id = $2 and l.request_id < first_id_at('req', now() - make_interval(hours => $3))) as "isOver"
         from limited_calls l
        where l.instance_id in ($1, $2) or not exists (select from instances where instances.id = l.instance_id)) open
      where open.of <> 'nobody' or open."isOver"`,
    [instanceId, nobody, asideHours],
    { name: 'limits.open_calls' },
  );
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
