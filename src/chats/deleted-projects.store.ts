import type { Sql } from '#db';

/**
 * Deletes at most `limit` messages of chats of a project, with what was made of them, and says how many. Chats in which an
 * answer is being made are left.
 */
export async function deleteMessagesIn(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from chat_messages where id in (
       select m.id from chats c join chat_messages m on m.chat_id = c.id
        where c.project_id = $1 and ${isQuiet} limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

export async function deleteEmptyChats(sql: Sql, projectId: string, limit: number): Promise<number> {
  const rows = await sql.query(
    `delete from chats where id in (
       select c.id from chats c
        where c.project_id = $1 and not exists (select from chat_messages m where m.chat_id = c.id) limit $2) returning 1`,
    [projectId, limit],
  );
  return rows.length;
}

const isQuiet = 'not exists (select from chat_messages r where r.chat_id = c.id and r.lease_until is not null)';
