import type { Sql } from '#db';
import type { Micro } from '#kernel';
import type { CallLimits } from './call-limits.ts';

/** Whose limits: a key of the account, or the account itself (then `id` is the account's), by itself or by the operator. */
export type LimitAddress = { scope: 'key' | 'account' | 'operator'; id: string; accountId: string };

export type LimitRow = { label: string; limits: CallLimits };

type Row = {
  label: string;
  requests_per_minute: number | null;
  concurrent_requests: number | null;
  credits_per_day_micro: bigint | null;
};

const columns = 'requests_per_minute, concurrent_requests, credits_per_day_micro';
const names = columns.split(', ');
const assignments = (prefix = '') => names.map((name, at) => `${prefix}${name} = $${at + 3}`).join(', ');
/** Of two limits the lower one holds. */
const lower = names.map((name) => `least(${name}, operator_${name}) as ${name}`).join(', ');
const ofOperator = names.map((name) => `operator_${name} as ${name}`).join(', ');

const statements = {
  key: {
    find: `select name as label, ${columns} from api_keys where id = $1 and account_id = $2`,
    update: `update api_keys set ${assignments()} where id = $1 and account_id = $2`,
  },
  account: {
    find: `select slug as label, ${columns} from accounts where id = $1 and id = $2`,
    update: `update accounts set ${assignments()}, updated_at = now() where id = $1 and id = $2`,
  },
  operator: {
    find: `select slug as label, ${ofOperator} from accounts where id = $1 and id = $2`,
    update: `update accounts set ${assignments('operator_')}, updated_at = now() where id = $1 and id = $2`,
  },
};

/** Null: the account has no such key. */
export async function findLimits(sql: Sql, { scope, id, accountId }: LimitAddress): Promise<LimitRow | null> {
  const [row] = await sql.query<Row>(statements[scope].find, [id, accountId]);
  return row ? limitsOf(row) : null;
}

/** What binds a key, or an account; null: it is not there. */
export async function findBindingLimits(
  sql: Sql,
  { scope, id, accountId }: { scope: 'key' | 'account'; id: string; accountId: string },
): Promise<CallLimits | null> {
  const find =
    scope === 'key' ? statements.key.find : `select slug as label, ${lower} from accounts where id = $1 and id = $2`;
  const [row] = await sql.query<Row>(find, [id, accountId]);
  return row ? limitsOf(row).limits : null;
}

/** The same as `findLimits`, and nobody changes them until the transaction ends. */
export async function lockLimits(tx: Sql, { scope, id, accountId }: LimitAddress): Promise<LimitRow | null> {
  const [row] = await tx.query<Row>(`${statements[scope].find} for no key update`, [id, accountId]);
  return row ? limitsOf(row) : null;
}

export async function updateLimits(
  tx: Sql,
  { scope, id, accountId }: LimitAddress,
  { requestsPerMinute, concurrentRequests, creditsPerDayMicro }: CallLimits,
): Promise<void> {
  await tx.query(statements[scope].update, [id, accountId, requestsPerMinute, concurrentRequests, creditsPerDayMicro]);
}

/** What a subject has used up to now, and until when it counts. */
export type UsedUp = { requests: number; minuteEndsAt: Date | null; running: number; creditsTodayMicro: Micro };

/** Of each of these subjects, by its id. Calls that were made while there were no limits were not counted. */
export async function listUsedUp(sql: Sql, subjects: readonly string[]): Promise<Map<string, UsedUp>> {
  const rows = await sql.query<{
    subject: string;
    requests: number | null;
    ends_at: Date;
    running: number;
    spent: bigint;
  }>(
    `select requested.subject, minute.requests, minute.ends_at, used.running,
            used.reserved + coalesce((select day_micro from limit_counters
              where subject = requested.subject and day = (now() at time zone 'UTC')::date), 0) as spent
       from unnest($1::text[]) as requested (subject)
      cross join lateral (
             select count(*)::integer as running, coalesce(sum(held_micro), 0)::bigint as reserved from calls
              where is_limited and status is null and (account_id = requested.subject or key_id = requested.subject)) used
       left join lateral (
             select minute_requests as requests, minute_started_at + interval '1 minute' as ends_at
               from limit_counters where subject = requested.subject) minute on minute.ends_at > now()`,
    [subjects],
  );
  return new Map(
    rows.map(({ subject, requests, ends_at, running, spent }) => [
      subject,
      {
        requests: requests ?? 0,
        minuteEndsAt: requests === null ? null : ends_at,
        running,
        creditsTodayMicro: spent,
      },
    ]),
  );
}

function limitsOf(row: Row): LimitRow {
  return {
    label: row.label,
    limits: {
      requestsPerMinute: row.requests_per_minute,
      concurrentRequests: row.concurrent_requests,
      creditsPerDayMicro: row.credits_per_day_micro,
    },
  };
}
