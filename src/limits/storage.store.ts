import type { Sql } from '#db';

/** What an account has stored, and may store at most; null: no limit. */
export type Storage = { usedBytes: bigint; mostBytes: bigint | null };

/** Adds to what the owner of a project has stored; until the transaction ends, nobody else of the account adds anything. */
export async function addStorage(
  tx: Sql,
  { projectId, bytes }: { projectId: string; bytes: number },
): Promise<Storage> {
  const [row] = await tx.query<Storage>(
    `with owner as (
       select a.id, a.max_storage_bytes from projects p join accounts a on a.id = p.account_id where p.id = $1
     ), stored as (
       insert into account_storage as s (account_id, bytes) select id, $2 from owner
           on conflict (account_id) do update set bytes = s.bytes + excluded.bytes
       returning bytes
     )
     select stored.bytes as "usedBytes", owner.max_storage_bytes as "mostBytes" from stored cross join owner`,
    [projectId, bytes],
    { name: 'limits.add_storage' },
  );
  if (!row) throw new Error('A project that something is stored for is not there. This is a bug.');
  return row;
}

export async function findStorage(sql: Sql, accountId: string): Promise<Storage> {
  const [row] = await sql.query<Storage>(
    `select coalesce((select bytes from account_storage where account_id = a.id), 0)::bigint as "usedBytes",
            a.max_storage_bytes as "mostBytes"
       from accounts a where a.id = $1`,
    [accountId],
  );
  return row ?? { usedBytes: 0n, mostBytes: null };
}

/** The limit as it was; the account stays locked until the transaction ends. */
export async function lockStorageLimit(
  tx: Sql,
  accountId: string,
): Promise<{ slug: string; mostBytes: bigint | null }> {
  const [row] = await tx.query<{ slug: string; mostBytes: bigint | null }>(
    'select slug, max_storage_bytes as "mostBytes" from accounts where id = $1 for no key update',
    [accountId],
  );
  if (!row) throw new Error('An account whose storage is limited is not there. This is a bug.');
  return row;
}

export async function updateStorageLimit(tx: Sql, accountId: string, mostBytes: bigint | null): Promise<void> {
  await tx.query('update accounts set max_storage_bytes = $2, updated_at = now() where id = $1', [
    accountId,
    mostBytes,
  ]);
}
