import type { Sql } from '#db';

/** The issuer of passwords: this installation. */
export const localIssuer = 'local';

/** A way to sign in to an account: a subject of an issuer. The hash is null unless it is a password. */
type SignInIdentity = { issuer: string; subject: string; accountId: string; passwordHash: string | null };

type IdentityAccount = { id: string; email: string | null; emailVerified: boolean };

const accountColumns = 'a.id, a.email, a.email_verified as "emailVerified"';

export async function findAccountByEmail(sql: Sql, email: string): Promise<IdentityAccount | null> {
  const [row] = await sql.query<IdentityAccount>(`select ${accountColumns} from accounts a where a.email = $1`, [
    email,
  ]);
  return row ?? null;
}

export async function findAccountByIdentity(
  sql: Sql,
  issuer: string,
  subject: string,
): Promise<IdentityAccount | null> {
  const [row] = await sql.query<IdentityAccount>(
    `select ${accountColumns} from auth_identities i join accounts a on a.id = i.account_id
     where i.issuer = $1 and i.subject = $2`,
    [issuer, subject],
  );
  return row ?? null;
}

/** Null: no account has this address, or it has no password. */
export async function findPassword(
  sql: Sql,
  email: string,
): Promise<{ accountId: string; passwordHash: string } | null> {
  const [row] = await sql.query<{ accountId: string; passwordHash: string }>(
    `select a.id as "accountId", i.password_hash as "passwordHash"
     from accounts a join auth_identities i on i.issuer = 'local' and i.subject = a.id where a.email = $1`,
    [email],
  );
  return row ?? null;
}

/** The first to ask gets the identity; another account's stays with that. False then. */
export async function insertIdentity(sql: Sql, identity: SignInIdentity): Promise<boolean> {
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
