import type { Sql } from '#db';

/** The issuer of passwords: this installation. */
export const localIssuer = 'local';

/** A user as better-auth knows one: an account, and the ways to sign in to it. */
export type IdentityUser = {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  image: string | null;
  createdAt: Date;
  updatedAt: Date;
  identities: Identity[];
};

export type Identity = { issuer: string; subject: string; passwordHash: string | null };

const columns = `a.id, a.email, a.email_verified as "emailVerified", a.display_name as name, a.avatar_url as image,
  a.created_at as "createdAt", a.updated_at as "updatedAt"`;

const identities = `(
  select coalesce(jsonb_agg(jsonb_build_object(
           'issuer', i.issuer, 'subject', i.subject, 'passwordHash', i.password_hash)), '[]')
  from auth_identities i where i.account_id = a.id) as identities`;

export async function findUserByEmail(sql: Sql, email: string): Promise<IdentityUser | null> {
  const [row] = await sql.query<IdentityUser>(`select ${columns}, ${identities} from accounts a where a.email = $1`, [
    email,
  ]);
  return row ?? null;
}

export async function findUserByIdentity(sql: Sql, issuer: string, subject: string): Promise<IdentityUser | null> {
  const [row] = await sql.query<IdentityUser>(
    `select ${columns}, ${identities} from auth_identities found join accounts a on a.id = found.account_id
     where found.issuer = $1 and found.subject = $2`,
    [issuer, subject],
  );
  return row ?? null;
}

/** The first to ask gets the identity; another account's stays with that. False then. */
export async function insertIdentity(sql: Sql, identity: Identity & { accountId: string }): Promise<boolean> {
  const { issuer, subject, accountId, passwordHash } = identity;
  const rows = await sql.query(
    `insert into auth_identities (issuer, subject, account_id, password_hash) values ($1, $2, $3, $4)
     on conflict (issuer, subject) do nothing returning subject`,
    [issuer, subject, accountId, passwordHash],
  );
  return rows.length > 0;
}

export async function isSuspended(sql: Sql, accountId: string): Promise<boolean> {
  const rows = await sql.query("select from accounts where id = $1 and status = 'suspended'", [accountId]);
  return rows.length > 0;
}

export async function updateEmailVerified(sql: Sql, accountId: string): Promise<void> {
  await sql.query('update accounts set email_verified = true, updated_at = now() where id = $1', [accountId]);
}

/** What a change of the password needs to know; the hash is null without a password. */
export type PasswordHolder = { email: string | null; slug: string; displayName: string; passwordHash: string | null };

export async function findPasswordHolder(sql: Sql, accountId: string): Promise<PasswordHolder | null> {
  const [row] = await sql.query<PasswordHolder>(
    `select a.email, a.slug, a.display_name as "displayName", i.password_hash as "passwordHash"
     from accounts a left join auth_identities i on i.issuer = 'local' and i.subject = a.id
     where a.id = $1`,
    [accountId],
  );
  return row ?? null;
}

/** Replaces the hash that was checked; false when it is no longer there. */
export async function replacePassword(
  sql: Sql,
  { accountId, from, to }: { accountId: string; from: string; to: string },
): Promise<boolean> {
  const rows = await sql.query(
    `update auth_identities set password_hash = $3, updated_at = now()
     where issuer = 'local' and subject = $1 and password_hash = $2 returning subject`,
    [accountId, from, to],
  );
  return rows.length > 0;
}

/** Gives an account a password, whatever it had; for the operator. */
export async function putPassword(sql: Sql, accountId: string, passwordHash: string): Promise<void> {
  await sql.query(
    `insert into auth_identities (issuer, subject, account_id, password_hash) values ('local', $1, $1, $2)
     on conflict (issuer, subject) do update set password_hash = excluded.password_hash, updated_at = now()`,
    [accountId, passwordHash],
  );
}
