import { type Sql, timeText } from '#db';
import { type Listed, type ListPosition, parseExactJson } from '#kernel';
import type { ChatParams } from './params.ts';

export type ChatRow = {
  id: string;
  projectId: string;
  /** Empty until the first message gives it one. */
  title: string;
  model: string | null;
  systemPrompt: string | null;
  params: ChatParams;
  messageCount: number;
  lastMessageAt: Date | null;
  archivedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
};

export const chatColumns = `id, project_id as "projectId", title, model, system_prompt as "systemPrompt", params::text as params,
  message_count as "messageCount", last_message_at as "lastMessageAt", archived_at as "archivedAt",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Tools hold schemas, which the driver would read with rounded numbers and keys in another order. */
type Stored<Row> = Omit<Row, 'params'> & { params: string };

function chatOf<Row extends { params: string }>(row: Row): Omit<Row, 'params'> & { params: ChatParams } {
  // as: written by this store.
  return { ...row, params: parseExactJson(row.params) as ChatParams };
}

/** What a statement that gives `chatColumns` gives. */
export async function queryChats<Row extends ChatRow>(
  sql: Sql,
  text: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const rows = await sql.query<Stored<Row>>(text, values);
  // as: only the parameters were stored as text.
  return rows.map(chatOf) as unknown as Row[];
}

export type ChatAddress = { projectId: string; id: string };

export async function findChat(sql: Sql, { projectId, id }: ChatAddress): Promise<ChatRow | null> {
  const [row] = await sql.query<Stored<ChatRow>>(`select ${chatColumns} from chats where id = $1 and project_id = $2`, [
    id,
    projectId,
  ]);
  return row ? chatOf(row) : null;
}

/** A chat whose row is locked until the transaction ends: messages are added one after the other. */
export async function lockChat(
  tx: Sql,
  { projectId, id }: ChatAddress,
): Promise<(ChatRow & { lastSeq: number }) | null> {
  const [row] = await tx.query<Stored<ChatRow & { lastSeq: number }>>(
    `select ${chatColumns}, last_seq as "lastSeq" from chats where id = $1 and project_id = $2 for update`,
    [id, projectId],
  );
  return row ? chatOf(row) : null;
}

export type NewChat = Pick<ChatRow, 'id' | 'projectId' | 'title' | 'model' | 'systemPrompt' | 'params'> & {
  searchText: string;
};

export async function insertChat(sql: Sql, chat: NewChat): Promise<ChatRow> {
  const [row] = await sql.query<Stored<ChatRow>>(
    `insert into chats (id, project_id, title, search_text, model, system_prompt, params)
     values ($1, $2, $3, $4, $5, $6, $7) returning ${chatColumns}`,
    [chat.id, chat.projectId, chat.title, chat.searchText, chat.model, chat.systemPrompt, JSON.stringify(chat.params)],
  );
  if (!row) throw new Error('An insert gave no row. This is a bug.');
  return chatOf(row);
}

export type ChatChange = Pick<ChatRow, 'title' | 'model' | 'systemPrompt' | 'params'> & {
  searchText: string;
  archived: boolean;
};

export async function updateChat(sql: Sql, id: string, change: ChatChange): Promise<ChatRow | null> {
  const [row] = await sql.query<Stored<ChatRow>>(
    `update chats set title = $2, search_text = $3, model = $4, system_prompt = $5, params = $6,
            archived_at = case when $7 then coalesce(archived_at, now()) end, updated_at = now()
      where id = $1 returning ${chatColumns}`,
    [
      id,
      change.title,
      change.searchText,
      change.model,
      change.systemPrompt,
      JSON.stringify(change.params),
      change.archived,
    ],
  );
  return row ? chatOf(row) : null;
}

/** With its messages. False when there was no such chat. */
export async function deleteChat(sql: Sql, { projectId, id }: ChatAddress): Promise<boolean> {
  const rows = await sql.query('delete from chats where id = $1 and project_id = $2 returning id', [id, projectId]);
  return rows.length > 0;
}

export async function updateChatHead(
  tx: Sql,
  id: string,
  { title, searchText, lastSeq }: { title: string; searchText: string; lastSeq: number },
): Promise<void> {
  await tx.query(
    `update chats set title = $2, search_text = $3, last_seq = $4, last_message_at = now(), updated_at = now(),
            message_count = (select count(*) from chat_messages where chat_id = $1)
      where id = $1`,
    [id, title, searchText, lastSeq],
  );
}

export type ChatFilter = { projectId: string; archived: boolean };

const matches = `project_id = $1 and (archived_at is not null) = $2`;

export async function listChatRows(
  sql: Sql,
  { projectId, archived }: ChatFilter,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<Listed<ChatRow>[]> {
  const rows = await sql.query<Stored<Listed<ChatRow>>>(
    `select ${chatColumns}, ${timeText('created_at')} as position
       from chats where ${matches} and (created_at, id) < ($3::timestamptz, $4)
      order by created_at desc, id desc limit $5`,
    [projectId, archived, after.createdAt, after.id, limit],
  );
  return rows.map(chatOf);
}

export async function countChats(sql: Sql, { projectId, archived }: ChatFilter): Promise<number> {
  const [row] = await sql.query<{ total: number }>(`select count(*)::integer as total from chats where ${matches}`, [
    projectId,
    archived,
  ]);
  return row?.total ?? 0;
}
