import type { Sql } from '#db';

export type Account = {
  id: string;
  slug: string;
  displayName: string;
  role: 'user' | 'admin';
  status: 'active' | 'suspended';
  createdAt: Date;
};

const columns = 'id, slug, display_name as "displayName", role, status, created_at as "createdAt"';

export async function insertAccount(
  sql: Sql,
  account: Pick<Account, 'id' | 'slug' | 'displayName' | 'role'>,
): Promise<Account> {
  const [row] = await sql.query<Account>(
    `insert into accounts (id, slug, display_name, role) values ($1, $2, $3, $4) returning ${columns}`,
    [account.id, account.slug, account.displayName, account.role],
  );
  if (!row) throw new Error('An insert returned no row. This is a bug.');
  return row;
}

export async function findAccountBySlug(sql: Sql, slug: string): Promise<Account | null> {
  const [row] = await sql.query<Account>(`select ${columns} from accounts where slug = $1`, [slug]);
  return row ?? null;
}

/** All accounts, oldest first; for the operator's command line. */
export async function listAccounts(sql: Sql): Promise<Account[]> {
  return sql.query<Account>(`select ${columns} from accounts order by created_at, id`);
}

/** False on a fresh installation only: accounts are never deleted. */
export async function hasAccounts(sql: Sql): Promise<boolean> {
  const rows = await sql.query('select from accounts limit 1');
  return rows.length > 0;
}
