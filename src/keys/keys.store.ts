import { type Sql, timeText } from '#db';
import type { CountedRows, LastUse, Listed, ListPosition } from '#kernel';
import type { CallLimits } from '#limits';
import type { KeyMask } from './key.ts';

export type KeyRecord = KeyMask & {
  id: string;
  name: string;
  active: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
  limits: CallLimits;
};

type KeyRow = Omit<KeyRecord, 'limits'> & CallLimits;

const columns = `id, name, masked_prefix as "maskedPrefix", last_four as "lastFour", active, created_at as "createdAt",
  last_used_at as "lastUsedAt", requests_per_minute as "requestsPerMinute",
  concurrent_requests as "concurrentRequests", credits_per_day_micro as "creditsPerDayMicro"`;

export async function insertKey(
  sql: Sql,
  key: { id: string; accountId: string; name: string; digest: Buffer; mask: KeyMask },
): Promise<KeyRecord> {
  const [row] = await sql.query<KeyRow>(
    `insert into api_keys (id, account_id, name, digest, masked_prefix, last_four) values ($1, $2, $3, $4, $5, $6)
     returning ${columns}`,
    [key.id, key.accountId, key.name, key.digest, key.mask.maskedPrefix, key.mask.lastFour],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  return recordOf(row);
}

/**
 * Locks the number of active keys of an account until the transaction ends, and returns it and how many are allowed. The lock
 * is not on the account's row, which every charge changes.
 */
export async function lockActiveKeys(tx: Sql, accountId: string): Promise<{ active: number; allowed: number }> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('active keys of ' || $1, 0))`, [accountId]);
  const [row] = await tx.query<{ active: number; allowed: number }>(
    `select (select count(*)::integer from api_keys where account_id = a.id and active) as active,
            a.max_active_keys as allowed
       from accounts a where a.id = $1`,
    [accountId],
  );
  if (!row) throw new Error('An account that asks for a key is gone. This is a bug.');
  return row;
}

/** Whether a key is active, and stays as it is until the transaction ends. */
export async function holdActiveKey(tx: Sql, key: { id: string; accountId: string }): Promise<boolean> {
  const rows = await tx.query('select from api_keys where id = $1 and account_id = $2 and active for share', [
    key.id,
    key.accountId,
  ]);
  return rows.length > 0;
}

/** The key, locked until the transaction ends: what is decided about it holds. Null when it is gone. */
export async function lockKey(tx: Sql, key: { id: string; accountId: string }): Promise<KeyRecord | null> {
  const [row] = await tx.query<KeyRow>(
    `select ${columns} from api_keys where id = $1 and account_id = $2 for no key update`,
    [key.id, key.accountId],
  );
  return row ? recordOf(row) : null;
}

export async function updateKeyActive(sql: Sql, key: { id: string; active: boolean }): Promise<void> {
  await sql.query('update api_keys set active = $2 where id = $1', [key.id, key.active]);
}

export async function deleteKey(sql: Sql, key: { id: string; accountId: string }): Promise<KeyRecord | null> {
  const [row] = await sql.query<KeyRow>(`delete from api_keys where id = $1 and account_id = $2 returning ${columns}`, [
    key.id,
    key.accountId,
  ]);
  return row ? recordOf(row) : null;
}

/** All keys of a deleted account. */
export async function deleteKeysOf(tx: Sql, accountId: string): Promise<void> {
  await tx.query('delete from api_keys where account_id = $1', [accountId]);
}

export async function listKeys(
  sql: Sql,
  page: { accountId: string; after: ListPosition; limit: number },
): Promise<CountedRows<Listed<KeyRecord>>> {
  const [found, [count]] = await Promise.all([
    sql.query<Listed<KeyRow>>(
      `select ${columns}, ${timeText('created_at')} as position
       from api_keys
       where account_id = $1 and (created_at, id) < ($2::timestamptz, $3)
       order by created_at desc, id desc limit $4`,
      [page.accountId, page.after.createdAt, page.after.id, page.limit],
    ),
    sql.query<{ total: number }>('select count(*)::integer as total from api_keys where account_id = $1', [
      page.accountId,
    ]),
  ]);
  return { rows: found.map(recordOf), totalCount: count?.total ?? 0 };
}

export type KeyOwner = {
  keyId: string;
  keyName: string;
  accountId: string;
  accountSlug: string;
  role: 'user' | 'admin';
  status: 'active' | 'suspended';
};

/** Owners of the active keys among these digests, by digest, all in hexadecimal. One statement answers any number of requests. */
export async function findKeyOwners(sql: Sql, digests: readonly string[]): Promise<Map<string, KeyOwner>> {
  const rows = await sql.query<{ digest: string } & KeyOwner>(
    `select encode(k.digest, 'hex') as digest, k.id as "keyId", k.name as "keyName", a.id as "accountId", a.slug as "accountSlug", a.role, a.status
     from api_keys k join accounts a on a.id = k.account_id
     where k.digest = any($1::bytea[]) and k.active`,
    [digests.map((digest) => `\\x${digest}`)],
    { name: 'keys.owners' },
  );
  return new Map(rows.map(({ digest, ...owner }) => [digest, owner]));
}

/**
 * Moves `last_used_at` forward, each key at most once in `spacingMs`, whichever replica saw the use, and never beyond the
 * time of the database: the clock of a server may be wrong. Rows are locked in the order of their ids, so that two replicas
 * never wait for each other in a circle.
 */
export async function updateKeysLastUsed(sql: Sql, uses: readonly LastUse[], spacingMs: number): Promise<void> {
  await sql.query(
    `with due as (
       select k.id, u.at
       from (select id, least(at, now()) as at from unnest($1::text[], $2::timestamptz[]) as u (id, at)) u
       join api_keys k on k.id = u.id
       where k.last_used_at is null or k.last_used_at <= u.at - make_interval(secs => $3::double precision / 1000)
          or k.last_used_at > now()
       order by k.id
       for no key update of k
     )
     update api_keys k set last_used_at = due.at from due where k.id = due.id`,
    [uses.map(({ id }) => id), uses.map(({ at }) => at), spacingMs],
  );
}

function recordOf<Row extends KeyRow>({ requestsPerMinute, concurrentRequests, creditsPerDayMicro, ...row }: Row) {
  return { ...row, limits: { requestsPerMinute, concurrentRequests, creditsPerDayMicro } };
}
