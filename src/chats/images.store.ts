import type { Sql } from '#db';

/** An image of a message, without its bytes. */
export type MessageImage = { id: string; mediaType: string; bytes: number };

export type ImageData = { mediaType: string; data: Buffer };

type NewImage = ImageData & { id: string; position: number };

type ImagePlace = { chatId: string; messageId: string; accountId: string };

export async function insertImage(
  tx: Sql,
  { chatId, messageId, accountId }: ImagePlace,
  { id, position, mediaType, data }: NewImage,
): Promise<void> {
  await tx.query(
    `insert into chat_images (id, chat_id, message_id, account_id, position, media_type, data)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [id, chatId, messageId, accountId, position, mediaType, data],
  );
}

export async function listImagesOfMessage(sql: Sql, messageId: string): Promise<ImageData[]> {
  return sql.query<ImageData>(
    `select media_type as "mediaType", data from chat_images where message_id = $1 order by position`,
    [messageId],
  );
}

export async function listImages(
  sql: Sql,
  chatId: string,
  ids: readonly string[],
): Promise<(ImageData & { id: string })[]> {
  return sql.query<ImageData & { id: string }>(
    `select id, media_type as "mediaType", data from chat_images where chat_id = $1 and id = any($2)`,
    [chatId, ids],
  );
}

export async function findImage(sql: Sql, { chatId, id }: { chatId: string; id: string }): Promise<ImageData | null> {
  const [row] = await sql.query<ImageData>(
    'select media_type as "mediaType", data from chat_images where id = $1 and chat_id = $2',
    [id, chatId],
  );
  return row ?? null;
}

/** What the images of an account take; until the transaction ends, no other one adds images to it. */
export async function sumImageBytes(tx: Sql, accountId: string): Promise<number> {
  await tx.query(`select pg_advisory_xact_lock(hashtextextended('chat images of ' || $1, 0))`, [accountId]);
  const [row] = await tx.query<{ total: number }>(
    'select coalesce(sum(bytes), 0)::float8 as total from chat_images where account_id = $1',
    [accountId],
  );
  return row?.total ?? 0;
}
