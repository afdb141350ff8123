import type { Sql } from '#db';

export async function expireImports(sql: Sql): Promise<number> {
  const rows = await sql.query(
    `update imports set state = 'expired', phase = null, finished_at = now(), updated_at = now()
      where expires_at <= now() and state in ('awaiting_upload', 'ready') returning 1`,
  );
  return rows.length;
}

/** Uploads whose last byte has arrived, but whose request ended before it could say so. */
export async function listStuckUploads(sql: Sql): Promise<{ id: string; projectId: string }[]> {
  return sql.query(
    `select id, project_id as "projectId" from imports
      where state = 'awaiting_upload' and received_bytes = size_bytes and updated_at < now() - interval '30 seconds'
      order by id limit 20`,
  );
}

/**
 * Objects of parts and profiles that nothing refers to, old enough not to be in flight: writing a part takes minutes
 * at most.
 */
export async function listOrphanedObjects(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ key: string }>(
    `select part.key from import_parts part join imports i on i.id = part.import_id
      where part.bytes is null and part.created_at < now() - interval '1 hour'
        and part.key is distinct from i.issues_key and part.key is distinct from i.tokens_key
        and i.state not in ('profiling', 'uploaded')
      order by part.created_at limit 500`,
  );
  return rows.map(({ key }) => key);
}

/** Imports that are over for a day and have their files still. */
export async function listFinishedFiles(sql: Sql): Promise<{ id: string; keys: string[] }[]> {
  return sql.query(
    `select i.id, array(select key from import_parts where import_id = i.id) as keys from imports i
      where i.finished_at < now() - interval '24 hours' and i.files_removed_at is null
      order by i.finished_at limit 20`,
  );
}

/** The files of an import are gone; what is left of it is its record. */
export async function recordFilesRemoved(sql: Sql, importId: string): Promise<void> {
  await sql.query(
    'update imports set files_removed_at = now(), issues_key = null, tokens_key = null, sample = null where id = $1',
    [importId],
  );
}

export async function listOver(sql: Sql, importIds: readonly string[]): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'select id from imports where id = any($1) and finished_at is not null',
    [importIds],
  );
  return rows.map(({ id }) => id);
}
