import type { Sql } from '#db';

/** A session ends when it is not used for this long, and at the latest when it is that old. */
const idleDays = 14;
export const longestDays = 90;
/** Sessions of one account at most; a further one ends the oldest. */
const mostSessions = 100;

/** What signed in, as the request said. Addresses of visitors are not stored. */
export type SessionClient = { userAgent: string | null };

type NewSession = SessionClient & {
  id: string;
  accountId: string;
  digest: Buffer;
  /** Hash of the password that was right; null when the person proved himself otherwise. */
  passwordHash: string | null;
};

/**
 * False when the account is not active, or when the password was changed since it was checked: that change waits for
 * this statement or this one for it, so no session of an old password is left behind. Sessions of the account that have
 * expired go, and so do the oldest ones of too many.
 */
export async function insertSession(sql: Sql, session: NewSession): Promise<boolean> {
  const rows = await sql.query(
    `with proof as (
       select from auth_identities
       where issuer = 'local' and subject = $2 and password_hash = $4 for share
     ), surplus as (
       delete from auth_sessions where account_id = $2 and (expires_at <= now() or id in (
         select id from auth_sessions where account_id = $2 order by created_at desc, id desc offset $6 - 1))
     )
     insert into auth_sessions (id, account_id, token_digest, expires_at, user_agent)
     select $1, a.id, $3, now() + make_interval(days => $5), left($7, 400)
     from accounts a
     where a.id = $2 and a.status = 'active' and ($4::text is null or exists (select from proof))
     returning id`,
    [session.id, session.accountId, session.digest, session.passwordHash, idleDays, mostSessions, session.userAgent],
  );
  return rows.length > 0;
}

export type SessionOwner = {
  sessionId: string;
  accountId: string;
  accountSlug: string;
  role: 'user' | 'admin';
  status: 'active' | 'suspended';
  /** It was not renewed for an hour. */
  isDue: boolean;
};

/** Owners of the sessions among these digests, by digest in hex. One statement answers any number of requests. */
export async function findSessionOwners(sql: Sql, digests: readonly Buffer[]): Promise<Map<string, SessionOwner>> {
  const rows = await sql.query<{ digest: Buffer } & SessionOwner>(
    `select s.token_digest as digest, s.id as "sessionId", a.id as "accountId", a.slug as "accountSlug", a.role, a.status,
            s.last_used_at < now() - interval '1 hour'
              or s.expires_at < least(now() + make_interval(days => $2, hours => -1),
                                      s.created_at + make_interval(days => $3)) as "isDue"
     from auth_sessions s join accounts a on a.id = s.account_id
     where s.token_digest = any($1::bytea[]) and s.expires_at > now()`,
    [digests, idleDays, longestDays],
    { name: 'sessions.owners' },
  );
  return new Map(rows.map(({ digest, ...owner }) => [digest.toString('hex'), owner]));
}

/** Puts the end of a session that is in use off; of several that ask for the same one, one writes. */
export async function renewSession(sql: Sql, id: string): Promise<void> {
  await sql.query(
    `update auth_sessions
     set expires_at = least(now() + make_interval(days => $2), created_at + make_interval(days => $3)),
         last_used_at = now()
     where id = $1 and expires_at > now()
       and (last_used_at < now() - interval '1 hour'
         or expires_at < least(now() + make_interval(days => $2, hours => -1), created_at + make_interval(days => $3)))`,
    [id, idleDays, longestDays],
  );
}

type SessionTimes = { createdAt: Date; expiresAt: Date };

export async function findSession(sql: Sql, id: string): Promise<SessionTimes | null> {
  const [row] = await sql.query<SessionTimes>(
    'select created_at as "createdAt", expires_at as "expiresAt" from auth_sessions where id = $1',
    [id],
  );
  return row ?? null;
}

export type ListedSession = SessionTimes & SessionClient & { id: string; lastUsedAt: Date };

/** Sessions of an account that have not expired, the one used last first; `mostSessions` at most. */
export async function listSessions(sql: Sql, accountId: string): Promise<ListedSession[]> {
  return sql.query<ListedSession>(
    `select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt",
            user_agent as "userAgent"
     from auth_sessions where account_id = $1 and expires_at > now() order by last_used_at desc, id desc`,
    [accountId],
  );
}

/** False when the account has no such session. */
export async function deleteOwnSession(sql: Sql, { accountId, id }: { accountId: string; id: string }) {
  const rows = await sql.query('delete from auth_sessions where account_id = $1 and id = $2 returning id', [
    accountId,
    id,
  ]);
  return rows.length > 0;
}

export async function deleteSession(sql: Sql, id: string): Promise<void> {
  await sql.query('delete from auth_sessions where id = $1', [id]);
}

export async function deleteSessionByDigest(sql: Sql, digest: Buffer): Promise<void> {
  await sql.query('delete from auth_sessions where token_digest = $1', [digest]);
}

/** Ends all sessions of an account but `keepId`; how many that were. */
export async function deleteSessions(sql: Sql, accountId: string, keepId: string | null): Promise<number> {
  const rows = await sql.query(
    'delete from auth_sessions where account_id = $1 and ($2::text is null or id <> $2) returning id',
    [accountId, keepId],
  );
  return rows.length;
}

/** Takes one try of every subject, or of none; seconds to wait, 0 when it was taken (migration 0008 has the function). */
export async function takeTry(
  sql: Sql,
  { subjects, limits, spanS }: { subjects: readonly Buffer[]; limits: readonly number[]; spanS: number },
): Promise<number> {
  const [row] = await sql.query<{ wait: number }>('select auth_take_try($1::bytea[], $2::integer[], $3) as wait', [
    subjects,
    limits,
    spanS,
  ]);
  if (!row) throw new Error('A function gave no row. This is a bug.');
  return row.wait;
}

/** Forgets the tries of the first subjects, and the latest one of the others. */
export async function forgetTries(
  sql: Sql,
  { all, latest }: { all: readonly Buffer[]; latest: readonly Buffer[] },
): Promise<void> {
  await sql.query(
    `with locked as (
       select subject from auth_tries where subject = any($1::bytea[] || $2::bytea[]) order by subject for update
     )
     update auth_tries t
     set tries = case when t.subject = any($1) then '{}' else trim_array(t.tries, least(1, cardinality(t.tries))) end
     from locked where t.subject = locked.subject`,
    [all, latest],
  );
}
