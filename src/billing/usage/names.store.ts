import type { Sql } from '#db';

/** The project at `{owner}/{project}`, whoever asks; null: there is none. */
export async function findProjectId(sql: Sql, ownerSlug: string, projectSlug: string): Promise<string | null> {
  const [row] = await sql.query<{ id: string }>(
    `select project.id from accounts owner join projects project on project.account_id = owner.id
      where owner.slug = $1 and project.slug = $2`,
    [ownerSlug, projectSlug],
  );
  return row?.id ?? null;
}

/** `{owner}/{project}` of projects by id. */
export async function listProjectPaths(sql: Sql, projectIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await sql.query<{ id: string; path: string }>(
    `select project.id, owner.slug || '/' || project.slug as path
       from project_addresses project join accounts owner on owner.id = project.account_id
      where project.id = any($1::text[])`,
    [projectIds],
    { name: 'usage.project_paths' },
  );
  return new Map(rows.map(({ id, path }) => [id, path]));
}

/** Names of an account's keys by id. The ledger has those of keys that are deleted; a name never changes. */
export async function listKeyNames(
  sql: Sql,
  accountId: string,
  keyIds: readonly string[],
): Promise<Map<string, string>> {
  const rows = await sql.query<{ key_id: string; key_name: string | null }>(
    `select requested.key_id, coalesce(
              (select name from api_keys where id = requested.key_id and account_id = $1),
              (select key_name from ledger
                where account_id = $1 and seq = (
                  select first_seq from usage_lists
                   where list = usage_list($1, requested.key_id, null, null) order by first_seq desc limit 1)),
              (select key_name from ledger
                where account_id = $1 and key_id = requested.key_id
                  and seq > coalesce((select seq from usage_marks where account_id = $1), 0)
                order by seq desc limit 1)) as key_name
       from unnest($2::text[]) as requested (key_id)`,
    [accountId, keyIds],
    { name: 'usage.key_names' },
  );
  return new Map(rows.flatMap(({ key_id, key_name }) => (key_name === null ? [] : [[key_id, key_name] as const])));
}
