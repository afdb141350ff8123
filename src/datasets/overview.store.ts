import type { Sql } from '#db';

export type ImportCounts = { awaitingConfirmation: number; failedInWindow: number };

export async function hasDataset(sql: Sql, { accountId }: { accountId: string }): Promise<boolean> {
  const [row] = await sql.query<{ has: boolean }>(
    `select exists (
       select 1 from datasets d join projects p on p.id = d.project_id where p.account_id = $1
     ) as has`,
    [accountId],
    { name: 'datasets.of_account' },
  );
  return row?.has ?? false;
}

export async function countImports(
  sql: Sql,
  { accountId, since }: { accountId: string; since: Date },
): Promise<ImportCounts> {
  const [row] = await sql.query<ImportCounts>(
    `select count(*) filter (where i.state = 'ready')::integer as "awaitingConfirmation",
            count(*) filter (where i.state = 'failed' and i.finished_at >= $2)::integer as "failedInWindow"
       from imports i join projects p on p.id = i.project_id
      where p.account_id = $1 and p.archived_at is null`,
    [accountId, since],
    { name: 'imports.count_of_account' },
  );
  return row ?? { awaitingConfirmation: 0, failedInWindow: 0 };
}
