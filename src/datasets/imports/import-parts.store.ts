import type { Sql } from '#db';

export type StoredPart = { key: string; firstByte: number; bytes: number };

/** Records a part before it is stored, so that its object is found if the request dies in between. */
export async function insertPart(sql: Sql, part: { key: string; importId: string; firstByte: number }): Promise<void> {
  await sql.query('insert into import_parts (key, import_id, first_byte) values ($1, $2, $3)', [
    part.key,
    part.importId,
    part.firstByte,
  ]);
}

/**
 * Makes a stored part count if the file has arrived up to where it begins. False: another request was quicker, or the
 * upload is over. One statement, so that the two tables never disagree.
 */
export async function acceptPart(sql: Sql, part: { importId: string } & StoredPart): Promise<boolean> {
  const rows = await sql.query(
    `with grown as (
       update imports set received_bytes = received_bytes + $4::bigint, updated_at = now()
        where id = $1 and state = 'awaiting_upload' and received_bytes = $3::bigint and received_bytes + $4::bigint <= size_bytes
       returning id
     )
     update import_parts part set bytes = $4::bigint from grown where part.key = $2 returning 1`,
    [part.importId, part.key, part.firstByte, part.bytes],
  );
  return rows.length > 0;
}

export async function listParts(sql: Sql, importId: string): Promise<StoredPart[]> {
  return sql.query<StoredPart>(
    `select key, first_byte::float8 as "firstByte", bytes::float8 as bytes from import_parts
      where import_id = $1 and bytes is not null order by first_byte`,
    [importId],
  );
}

export async function deletePart(sql: Sql, key: string): Promise<void> {
  await sql.query('delete from import_parts where key = $1', [key]);
}

/** Takes back all that has arrived; their objects become orphans. */
export async function dropParts(tx: Sql, importId: string): Promise<void> {
  await tx.query(
    `update imports set received_bytes = 0, updated_at = now() where id = $1 and state = 'awaiting_upload'`,
    [importId],
  );
  // Parts without bytes no longer count; the sweep removes their rows and objects.
  await tx.query('update import_parts set bytes = null where import_id = $1', [importId]);
}

/**
 * The whole file has arrived with this digest. False: the state has changed meanwhile. Its first profile is requested.
 */
export async function endUpload(tx: Sql, { importId, sha256 }: { importId: string; sha256: string }): Promise<boolean> {
  const rows = await tx.query(
    `update imports set state = 'uploaded', sha256 = $2, profile_number = 1, phase = 'waiting', expires_at = null, updated_at = now()
      where id = $1 and state = 'awaiting_upload' and received_bytes = size_bytes returning 1`,
    [importId, sha256],
  );
  return rows.length > 0;
}

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

/** Of keys of objects: those that nothing needs, and those of imports that are not in this database. */
export type ImportOrphans = { orphans: string[]; foreign: string[] };

/** What the program makes; whatever else lies there is nobody's. */
const form = /^imports\/imp_[^/]+\/(part|profile)-[^/]+$/;

/** Objects of imports that have been there for long: their rows came before them, and go after them. */
export async function findImportOrphans(sql: Sql, keys: readonly string[]): Promise<ImportOrphans> {
  const ours = keys.filter((key) => form.test(key));
  if (ours.length === 0) return { orphans: [], foreign: [] };
  const rows = await sql.query<{ key: string; isForeign: boolean }>(
    `select k.key, i.id is null as "isForeign"
       from unnest($1::text[]) as k (key) left join imports i on i.id = split_part(k.key, '/', 2)
      where not exists (select from import_parts p where p.key = k.key)
        and k.key is distinct from i.issues_key and k.key is distinct from i.tokens_key`,
    [ours],
  );
  const keysOf = (isForeign: boolean) => rows.filter((row) => row.isForeign === isForeign).map(({ key }) => key);
  return { orphans: keysOf(false), foreign: keysOf(true) };
}
