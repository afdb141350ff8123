import type { Sql } from '#db';
import type { DocumentIdentity } from './passages.ts';

export type NewDocument = { position: number; hash: string; documentId: string | null; text: string };

/**
 * Adds documents to an index that the lease is for. One that is there already keeps its position, and gets the caller's name for
 * it where it had none. Hashes of one call differ. False: the lease is lost.
 */
export async function insertDocuments(
  tx: Sql,
  { id, lease }: { id: string; lease: string },
  documents: readonly NewDocument[],
): Promise<boolean> {
  if (!(await keepLease(tx, { id, lease }))) return false;
  await tx.query(
    `insert into index_documents as known (index_id, position, text_hash, document_id, text)
     select $1, position, decode(hash, 'hex'), document_id, text
       from unnest($2::integer[], $3::text[], $4::text[], $5::text[]) as document (position, hash, document_id, text)
     on conflict (index_id, text_hash) do update set document_id = excluded.document_id where known.document_id is null`,
    [
      id,
      documents.map(({ position }) => position),
      documents.map(({ hash }) => hash),
      documents.map(({ documentId }) => documentId),
      documents.map(({ text }) => text),
    ],
    { name: 'indexes.insert_documents' },
  );
  return true;
}

/** Deletes some of what an earlier attempt has collected. Null: the lease is lost, and what is there is somebody else's. */
export async function deleteCollected(
  tx: Sql,
  { id, lease }: { id: string; lease: string },
  limit: number,
): Promise<boolean | null> {
  return (await keepLease(tx, { id, lease })) ? deleteSome(tx, id, limit) : null;
}

/** Until the transaction ends, nobody else takes the lease. False: it is lost. */
async function keepLease(tx: Sql, { id, lease }: { id: string; lease: string }): Promise<boolean> {
  const rows = await tx.query(
    `select from dataset_indexes where id = $1 and lease = $2 and state = 'building' for share`,
    [id, lease],
  );
  return rows.length > 0;
}

export type DocumentText = { position: number; text: string };

export function listTexts(
  sql: Sql,
  { id, fromPosition, limit }: { id: string; fromPosition: number; limit: number },
): Promise<DocumentText[]> {
  return sql.query<DocumentText>(
    `select position, text from index_documents where index_id = $1 and position >= $2 order by position limit $3`,
    [id, fromPosition, limit],
    { name: 'indexes.list_texts' },
  );
}

export type DocumentPosition = DocumentIdentity & { position: number };

const identity = `position, encode(text_hash, 'hex') as hash, document_id as "documentId"`;

export function listDocumentsAt(sql: Sql, id: string, positions: readonly number[]): Promise<DocumentPosition[]> {
  return sql.query(
    `select ${identity} from index_documents where index_id = $1 and position = any($2::integer[])`,
    [id, positions],
    { name: 'indexes.documents_at' },
  );
}

export function listDocumentTextsAt(
  sql: Sql,
  id: string,
  positions: readonly number[],
): Promise<(DocumentPosition & { text: string })[]> {
  return sql.query(
    `select ${identity}, text from index_documents where index_id = $1 and position = any($2::integer[])`,
    [id, positions],
    { name: 'indexes.document_texts_at' },
  );
}

export function listDocumentsByHash(sql: Sql, id: string, hashes: readonly string[]): Promise<DocumentPosition[]> {
  return sql.query(
    `select ${identity} from index_documents
      where index_id = $1 and text_hash = any(select decode(hash, 'hex') from unnest($2::text[]) as hash)`,
    [id, hashes],
    { name: 'indexes.documents_by_hash' },
  );
}

/** Deletes some of what belongs to an index that is gone or has failed; false: nothing is left. */
export async function deleteSome(sql: Sql, id: string, limit: number): Promise<boolean> {
  const [row] = await sql.query<{ deleted: number }>(
    `with documents as (
       delete from index_documents where index_id = $1 and position in (
         select position from index_documents where index_id = $1 order by position limit $2) returning 1
     ), vectors as (
       delete from index_vectors where index_id = $1 and first_position in (
         select first_position from index_vectors where index_id = $1 order by first_position limit $2) returning 1
     )
     select ((select count(*) from documents) + (select count(*) from vectors))::integer as deleted`,
    [id, limit],
    { timeoutMs: 60_000 },
  );
  return (row?.deleted ?? 0) > 0;
}

/** Indexes of which something is left although they are gone, or ended without success. */
export async function listOrphans(sql: Sql): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    `with recursive known as (
       (select index_id from index_documents order by index_id limit 1)
       union all
       select (select index_id from index_documents where index_id > known.index_id order by index_id limit 1)
         from known where known.index_id is not null
     )
     select index_id as id from known
      where index_id is not null and not exists (
        select from dataset_indexes i where i.id = index_id and i.state in ('queued', 'building', 'ready'))`,
  );
  return rows.map(({ id }) => id);
}
