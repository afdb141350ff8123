import type { Sql } from '#db';

export type Account = {
  id: string;
  slug: string;
  /** In lower case; null for an account that nobody signs in to by address. */
  email: string | null;
  emailVerified: boolean;
  displayName: string;
  avatarUrl: string | null;
  locale: string;
  role: 'user' | 'admin';
  status: 'active' | 'suspended';
  createdAt: Date;
  updatedAt: Date;
};

const columns = `id, slug, email, email_verified as "emailVerified", display_name as "displayName",
  avatar_url as "avatarUrl", locale, role, status, created_at as "createdAt", updated_at as "updatedAt"`;

/** Null when the slug is taken. A taken address throws 23505 on `accounts_email_key`. */
export async function insertAccount(
  sql: Sql,
  account: Pick<Account, 'id' | 'slug' | 'email' | 'emailVerified' | 'displayName' | 'avatarUrl' | 'role'>,
): Promise<Account | null> {
  const { id, slug, email, emailVerified, displayName, avatarUrl, role } = account;
  const [row] = await sql.query<Account>(
    `insert into accounts (id, slug, email, email_verified, display_name, avatar_url, role)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict (slug) do nothing returning ${columns}`,
    [id, slug, email, emailVerified, displayName, avatarUrl, role],
  );
  return row ?? null;
}

export async function findAccountBySlug(sql: Sql, slug: string): Promise<Account | null> {
  const [row] = await sql.query<Account>(`select ${columns} from accounts where slug = $1 and deleted_at is null`, [
    slug,
  ]);
  return row ?? null;
}

export async function findAccountByAddress(sql: Sql, email: string): Promise<Account | null> {
  const [row] = await sql.query<Account>(`select ${columns} from accounts where email = $1`, [email]);
  return row ?? null;
}

export async function listAccounts(sql: Sql): Promise<Account[]> {
  return sql.query<Account>(`select ${columns} from accounts where deleted_at is null order by created_at, id`);
}

/** False on a fresh installation only: rows of accounts stay. */
export async function hasAccounts(sql: Sql): Promise<boolean> {
  const rows = await sql.query('select from accounts limit 1');
  return rows.length > 0;
}

/** False when there is no such account, or it has this status already. */
export async function updateAccountStatus(sql: Sql, id: string, status: Account['status']): Promise<boolean> {
  const rows = await sql.query(
    'update accounts set status = $2, updated_at = now() where id = $1 and status <> $2 and deleted_at is null returning id',
    [id, status],
  );
  return rows.length > 0;
}

/** False when there is no such account, or it has this role already. */
export async function updateAccountRole(sql: Sql, id: string, role: Account['role']): Promise<boolean> {
  const rows = await sql.query(
    'update accounts set role = $2, updated_at = now() where id = $1 and role <> $2 and deleted_at is null returning id',
    [id, role],
  );
  return rows.length > 0;
}

/** Gives the account an address that its owner is known to have. A taken one throws 23505 on `accounts_email_key`. */
export async function updateAccountEmail(sql: Sql, id: string, email: string): Promise<void> {
  await sql.query(
    'update accounts set email = $2, email_verified = true, updated_at = now() where id = $1 and deleted_at is null',
    [id, email],
  );
}

export type AccountProfile = Pick<Account, 'displayName' | 'avatarUrl' | 'locale'>;

/** What stays undefined stays as it is; `changed` names what did not. Null: there is no such account. */
export async function updateProfile(
  sql: Sql,
  id: string,
  { displayName, avatarUrl, locale }: { [Name in keyof AccountProfile]: AccountProfile[Name] | undefined },
): Promise<{ changed: (keyof AccountProfile)[] } | null> {
  const [row] = await sql.query<{ [Name in keyof AccountProfile]: boolean }>(
    `with before as (
       select id, display_name, avatar_url, locale from accounts where id = $1 and deleted_at is null for no key update
     ), requested as (
       select id, coalesce($2, display_name) as display_name,
              case when $3::boolean then $4::text else avatar_url end as avatar_url, coalesce($5, locale) as locale
       from before
     ), written as (
       update accounts a set display_name = w.display_name, avatar_url = w.avatar_url, locale = w.locale, updated_at = now()
       from requested w where a.id = w.id and (a.display_name, a.avatar_url, a.locale) is distinct from (w.display_name, w.avatar_url, w.locale)
     )
     select b.display_name is distinct from w.display_name as "displayName",
            b.avatar_url is distinct from w.avatar_url as "avatarUrl", b.locale is distinct from w.locale as locale
     from before b join requested w on w.id = b.id`,
    [id, displayName ?? null, avatarUrl !== undefined, avatarUrl ?? null, locale ?? null],
  );
  if (!row) return null;
  const names = ['displayName', 'avatarUrl', 'locale'] as const;
  return { changed: names.filter((name) => row[name]) };
}

/** An account as its owner sees it, asked with this session (or with none). */
export type OwnAccount = Account & {
  hasPassword: boolean;
  isExternal: boolean;
  sessionExpiresAt: Date | null;
  availableMicro: bigint;
  maxActiveKeys: number;
  maxProjects: number;
};

export async function findOwnAccount(sql: Sql, id: string, sessionId: string | null): Promise<OwnAccount | null> {
  const [row] = await sql.query<OwnAccount>(
    `select ${columns}, balance_micro - held_micro as "availableMicro", max_active_keys as "maxActiveKeys",
            max_projects as "maxProjects",
            exists (select from auth_identities i where i.account_id = accounts.id and i.issuer = 'local') as "hasPassword",
            exists (select from auth_identities i where i.account_id = accounts.id and i.issuer <> 'local') as "isExternal",
            (select s.expires_at from auth_sessions s where s.id = $2 and s.account_id = accounts.id) as "sessionExpiresAt"
     from accounts where id = $1`,
    [id, sessionId],
  );
  return row ?? null;
}
