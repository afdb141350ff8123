import type { Sql } from '#db';

export async function listIndexIds(sql: Sql, projectId: string, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'select id from dataset_indexes where project_id = $1 order by created_at desc, id desc limit $2',
    [projectId, limit],
  );
  return rows.map(({ id }) => id);
}
