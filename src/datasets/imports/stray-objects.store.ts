import type { Sql } from '#db';

/** Of keys of objects: those that nothing needs, and those of imports that are not in this database. */
export type StrayKeys = { stray: string[]; foreign: string[] };

/** What the program makes; whatever else lies there is nobody's. */
const form = /^imports\/imp_[^/]+\/(part|reading)-[^/]+$/;

/** Objects of imports that have been there for long: their rows came before them, and go after them. */
export async function findStrayImportObjects(sql: Sql, keys: readonly string[]): Promise<StrayKeys> {
  const ours = keys.filter((key) => form.test(key));
  if (ours.length === 0) return { stray: [], foreign: [] };
  const rows = await sql.query<{ key: string; isForeign: boolean }>(
    `select k.key, i.id is null as "isForeign"
       from unnest($1::text[]) as k (key) left join imports i on i.id = split_part(k.key, '/', 2)
      where not exists (select from import_parts p where p.key = k.key)
        and k.key is distinct from i.issues_key and k.key is distinct from i.tokens_key`,
    [ours],
  );
  const keysOf = (isForeign: boolean) => rows.filter((row) => row.isForeign === isForeign).map(({ key }) => key);
  return { stray: keysOf(false), foreign: keysOf(true) };
}
