import type { Sql } from '#db';
import type { StoredAnswer } from './calls.store.ts';

const timeoutMs = 5_000;

/** A call under a key. `answer` null: it has not ended; `isServerAlive`: its server runs. */
export type KeyedCall = {
  requestId: string;
  serverId: string | null;
  isServerAlive: boolean;
  fingerprint: Buffer;
  answer: StoredAnswer | null;
};

/** The call under a key; null: none that counts. */
export async function findByKey(
  sql: Sql,
  { accountId, key }: { accountId: string; key: string },
): Promise<KeyedCall | null> {
  const [row] = await sql.query<{
    request_id: string;
    server_id: string | null;
    alive: boolean;
    fingerprint: Buffer;
    status: number | null;
    body: Buffer | null;
    is_sealed: boolean;
  }>(
    `select request_id, server_id, fingerprint, status, body, is_sealed,
            exists (select from instances where instances.id = calls.server_id) as alive
       from calls
      where account_id = $1 and idempotency_key = $2 and created_at >= now() - interval '24 hours'`,
    [accountId, key],
    { name: 'calls.find_by_key', timeoutMs },
  );
  if (!row) return null;
  const { status, body, is_sealed: isSealed } = row;
  const answer = status === null || body === null ? null : { status, body, isSealed };
  return {
    requestId: row.request_id,
    serverId: row.server_id,
    isServerAlive: row.alive,
    fingerprint: row.fingerprint,
    answer,
  };
}

/** Stores the answer under the key of a call, once. False: the key was given to another request. */
export async function storeAnswer(sql: Sql, requestId: string, answer: StoredAnswer): Promise<boolean> {
  const rows = await sql.query(
    `update calls set status = $2, body = $3, is_sealed = $4 where request_id = $1 and status is null returning 1`,
    [requestId, answer.status, answer.body, answer.isSealed],
    { name: 'calls.store_answer', timeoutMs },
  );
  return rows.length > 0;
}

/** Removes some of the answers that are a day old; returns how many. Two servers share the work. */
export async function deleteOldAnswers(sql: Sql, limit: number): Promise<number> {
  const rows = await sql.query(
    `with old as (
       select request_id from calls where status is not null and created_at < now() - interval '24 hours'
        order by created_at limit $1 for update skip locked
     )
     delete from calls using old where calls.request_id = old.request_id returning 1`,
    [limit],
  );
  return rows.length;
}

/** Removes limit counters that were not used for days; the next call makes them anew. */
export async function deleteUnusedCounters(sql: Sql, at: Date | null): Promise<void> {
  await sql.query(
    `delete from limit_counters where subject in (
       select subject from limit_counters where day < (coalesce($1, now()) at time zone 'UTC')::date - 2
        limit 500 for update skip locked)`,
    [at],
  );
}
