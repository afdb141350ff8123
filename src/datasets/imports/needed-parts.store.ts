import type { Sql } from '#db';

/** Parts of files that imports in flight are made from, in the order of their keys. */
export function listNeededParts(
  sql: Sql,
  { after, limit }: { after: string; limit: number },
): Promise<{ key: string; importId: string }[]> {
  return sql.query(
    `select part.key, part.import_id as "importId"
       from import_parts part join imports i on i.id = part.import_id
      where part.key > $1 and part.bytes is not null and i.finished_at is null
      order by part.key limit $2`,
    [after, limit],
  );
}

/** Which of these keys of parts no import in flight needs any more. */
export async function listUnneededParts(sql: Sql, keys: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    `select k.key from unnest($1::text[]) as k (key)
      where k.key like 'imports/%' and not exists (
        select from import_parts part join imports i on i.id = part.import_id
         where part.key = k.key and part.bytes is not null and i.finished_at is null)`,
    [keys],
  );
  return rows.map(({ key }) => key);
}
