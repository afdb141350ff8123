import type { Sql } from '#db';

/** How long a statement waits: for its answer, and for a lock, if not as long as for the answer. */
export type Patience = { timeoutMs: number; lockMs?: number };

/** Those of the accounts whose rows are locked at this moment. */
export async function listLockedAccounts(sql: Sql, accountIds: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `with free as materialized (
       select id from accounts where id = any($1::text[]) order by id for no key update skip locked
     )
     select id from accounts cross join (select set_config('synchronous_commit', 'off', true)) quick
      where id = any($1::text[]) and id not in (select id from free)`,
    [accountIds],
    { name: 'billing.locked_accounts', timeoutMs: 4_000 },
  );
  return rows.map(({ id }) => id);
}
