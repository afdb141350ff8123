import type { Sql } from '#db';
import type { SourceIssue } from './import-record.ts';
import { storedJson } from './imports.store.ts';

export async function replaceIssues(tx: Sql, importId: string, issues: readonly SourceIssue[]): Promise<void> {
  await tx.query('delete from import_issues where import_id = $1', [importId]);
  const perStatement = 1_000;
  for (let from = 0; from < issues.length; from += perStatement)
    await tx.query(
      `insert into import_issues (import_id, place, code, issue)
       select $1, $2 + row.place, row.issue->>'code', row.issue
         from jsonb_array_elements($3::jsonb) with ordinality as row (issue, place)`,
      [importId, from, storedJson(issues.slice(from, from + perStatement))],
    );
}

/** Issues after a place, in the order of the file, and how many there are in all. */
export async function listIssues(
  sql: Sql,
  { importId, code }: { importId: string; code: string | null },
  { after, limit }: { after: number; limit: number },
): Promise<{ rows: { place: number; issue: SourceIssue }[]; totalCount: number }> {
  const [rows, [count]] = await Promise.all([
    sql.query<{ place: number; issue: SourceIssue }>(
      `select place, issue from import_issues
        where import_id = $1 and ($2::text is null or code = $2) and place > $3 order by place limit $4`,
      [importId, code, after, limit],
    ),
    sql.query<{ total: number }>(
      'select count(*)::integer as total from import_issues where import_id = $1 and ($2::text is null or code = $2)',
      [importId, code],
    ),
  ]);
  return { rows, totalCount: count?.total ?? 0 };
}
