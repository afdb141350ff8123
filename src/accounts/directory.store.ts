import type { Sql } from '#db';
import type { ListPosition } from '#kernel';
import type { Account } from './accounts.store.ts';

/** An account as operators see it. */
export type DirectoryAccount = Pick<
  Account,
  'id' | 'slug' | 'email' | 'emailVerified' | 'displayName' | 'role' | 'status' | 'createdAt'
> & {
  canSignIn: boolean;
  balanceMicro: bigint;
  heldMicro: bigint;
  /** With microseconds, for cursors. */
  position: string;
};

const columns = `id, slug, email, email_verified as "emailVerified", display_name as "displayName", role, status,
  created_at as "createdAt", created_at::text as position, balance_micro as "balanceMicro", held_micro as "heldMicro",
  exists (select from auth_identities i where i.account_id = accounts.id) as "canSignIn"`;

const matches = `deleted_at is null and ($1::text is null or position(lower($1) in slug) > 0 or position(lower($1) in email) > 0
  or position(lower($1) in lower(display_name)) > 0)`;

/** Newest first; `search` is part of slug, address or name. */
export function listDirectory(
  sql: Sql,
  { search, after, limit }: { search: string | null; after: ListPosition; limit: number },
): Promise<DirectoryAccount[]> {
  return sql.query<DirectoryAccount>(
    `select ${columns} from accounts
     where ${matches} and (created_at, id) < ($2::timestamptz, $3)
     order by created_at desc, id desc limit $4`,
    [search, after.createdAt, after.id, limit],
  );
}

export async function countDirectory(sql: Sql, search: string | null): Promise<number> {
  const [row] = await sql.query<{ count: number }>(`select count(*)::integer as count from accounts where ${matches}`, [
    search,
  ]);
  return row?.count ?? 0;
}

export async function findDirectoryAccount(sql: Sql, id: string): Promise<DirectoryAccount | null> {
  const [row] = await sql.query<DirectoryAccount>(
    `select ${columns} from accounts where id = $1 and deleted_at is null`,
    [id],
  );
  return row ?? null;
}
