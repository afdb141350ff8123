import type { Sql } from '#db';

/** Where a kept answer belongs: the account that asked and the key that it sent. */
export type KeyAddress = { accountId: string; key: string };

/** A request that wants to run under a key. */
export type Applicant = KeyAddress & { fingerprint: Buffer; requestId: string; instanceId: string };

/** The answer of a request that ended well. `charge` is what the call of a model has to pay for it. */
export type KeptAnswer = { status: number; body: Buffer; sealed: boolean; charge: unknown };

export type KeptRow = { fingerprint: Buffer; requestId: string; instanceId: string; answer: KeptAnswer | null };

const timeoutMs = 5_000;

/**
 * Takes the key for the applicant, in one statement: when it is new, when its row is a day old, or when the process
 * that ran the same request is dead and left no answer. False: somebody else has it.
 */
export async function takeKey(sql: Sql, applicant: Applicant): Promise<boolean> {
  const rows = await sql.query(
    `insert into idempotent_requests as kept (account_id, key, fingerprint, request_id, instance_id)
     values ($1, $2, $3, $4, $5)
     on conflict (account_id, key) do update
        set fingerprint = excluded.fingerprint, request_id = excluded.request_id, instance_id = excluded.instance_id,
            status = null, body = null, sealed = false, charge = null, created_at = now()
      where kept.created_at < now() - interval '24 hours'
         or (kept.status is null and kept.fingerprint = excluded.fingerprint
             and kept.instance_id <> excluded.instance_id
             and not exists (select from instances where id = kept.instance_id))
     returning 1`,
    [applicant.accountId, applicant.key, applicant.fingerprint, applicant.requestId, applicant.instanceId],
    { name: 'idempotency.take', timeoutMs },
  );
  return rows.length > 0;
}

type Row = {
  fingerprint: Buffer;
  request_id: string;
  instance_id: string;
  status: number | null;
  body: Buffer | null;
  sealed: boolean;
  charge: unknown;
};

/** What the key stands for; null: nothing. */
export async function findKept(sql: Sql, { accountId, key }: KeyAddress): Promise<KeptRow | null> {
  const [row] = await sql.query<Row>(
    `select fingerprint, request_id, instance_id, status, body, sealed, charge from idempotent_requests
      where account_id = $1 and key = $2`,
    [accountId, key],
    { name: 'idempotency.find', timeoutMs },
  );
  if (!row) return null;
  const { fingerprint, request_id: requestId, instance_id: instanceId, status, body, sealed, charge } = row;
  const answer = status === null || !body ? null : { status, body, sealed, charge };
  return { fingerprint, requestId, instanceId, answer };
}

/** Keeps the answer, once and only while the key is still this request's. False: another process took it over. */
export async function keepAnswer(
  sql: Sql,
  { accountId, key, requestId }: KeyAddress & { requestId: string },
  { status, body, sealed, charge }: KeptAnswer,
): Promise<boolean> {
  const rows = await sql.query(
    `update idempotent_requests set status = $4, body = $5, sealed = $6, charge = $7
      where account_id = $1 and key = $2 and request_id = $3 and status is null returning 1`,
    [accountId, key, requestId, status, body, sealed, charge === null ? null : JSON.stringify(charge)],
    { name: 'idempotency.keep', timeoutMs },
  );
  return rows.length > 0;
}

/** Gives the keys of these requests back, as far as they have no answer. */
export async function dropUnanswered(sql: Sql, instanceId: string, requestIds: readonly string[]): Promise<void> {
  await sql.query(
    'delete from idempotent_requests where instance_id = $1 and status is null and request_id = any($2::text[])',
    [instanceId, requestIds],
    { name: 'idempotency.drop', timeoutMs },
  );
}

/** Requests of one process that have a key and no answer. */
export async function listUnanswered(sql: Sql, instanceId: string): Promise<string[]> {
  const rows = await sql.query<{ request_id: string }>(
    'select request_id from idempotent_requests where instance_id = $1 and status is null',
    [instanceId],
  );
  return rows.map(({ request_id: requestId }) => requestId);
}

/** Removes some of the rows that are a day old; returns how many. Two processes share the work. */
export async function deleteExpired(sql: Sql, limit: number): Promise<number> {
  const rows = await sql.query(
    `with expired as (
       select account_id, key from idempotent_requests where created_at < now() - interval '24 hours'
        order by created_at limit $1 for update skip locked
     )
     delete from idempotent_requests kept using expired
      where kept.account_id = expired.account_id and kept.key = expired.key returning 1`,
    [limit],
  );
  return rows.length;
}
