import type { Sql } from '#db';
import type { SourceIssue } from './import-record.ts';
import { storedJson } from './imports.store.ts';

export async function replaceIssues(tx: Sql, importId: string, issues: readonly SourceIssue[]): Promise<void> {
  await tx.query('delete from import_issues where import_id = $1', [importId]);
  const perStatement = 1_000;
  for (let from = 0; from < issues.length; from += perStatement)
    await tx.query(
      `insert into import_issues (import_id, position, code, issue)
       select $1, $2 + row.position, row.issue->>'code', row.issue
         from jsonb_array_elements($3::jsonb) with ordinality as row (issue, position)`,
      [importId, from, storedJson(issues.slice(from, from + perStatement))],
    );
}

export async function listIssues(
  sql: Sql,
  { importId, code }: { importId: string; code: string | null },
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: { position: number; issue: SourceIssue }[]; totalCount: number }> {
  const [rows, [count]] = await Promise.all([
    sql.query<{ position: number; issue: SourceIssue }>(
      `select position, issue from import_issues
        where import_id = $1 and ($2::text is null or code = $2) and position > $3 order by position limit $4`,
      [importId, code, after, limit],
    ),
    sql.query<{ total: number }>(
      'select count(*)::integer as total from import_issues where import_id = $1 and ($2::text is null or code = $2)',
      [importId, code],
    ),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}
