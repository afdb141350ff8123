import type { Sql } from '#db';

const leaseSeconds = 60;

/** Begins an export, or goes on with it. False: another one of the account runs. */
export async function holdExport(sql: Sql, { accountId, id }: { accountId: string; id: string }): Promise<boolean> {
  const rows = await sql.query(
    `insert into account_exports as e (account_id, id, until) values ($1, $2, now() + make_interval(secs => $3))
     on conflict (account_id) do update set id = excluded.id, until = excluded.until
      where e.id = excluded.id or e.until < now()
     returning 1`,
    [accountId, id, leaseSeconds],
    { name: 'exports.hold' },
  );
  return rows.length > 0;
}

export async function endExport(sql: Sql, { accountId, id }: { accountId: string; id: string }): Promise<void> {
  await sql.query('delete from account_exports where account_id = $1 and id = $2', [accountId, id]);
}
