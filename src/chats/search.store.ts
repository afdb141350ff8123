import { type Sql, timeText } from '#db';
import type { Listed, ListPosition } from '#kernel';
import { type ChatFilter, type ChatRow, chatColumns, queryChats } from './chats.store.ts';

/** Of the project's id, in front of each word. */
export const prefixCharacters = 4;

/** `words`: with spaces between. In place of those that the message had. */
export async function upsertWords(sql: Sql, messageId: string, words: string): Promise<void> {
  await sql.query(
    `insert into chat_words (message_id, chat_id, seq, words)
     select m.id, m.chat_id, m.seq, array_to_tsvector(array(
              select right(c.project_id, ${prefixCharacters}) || word
                from unnest(string_to_array($2, ' ')) as word where word <> ''))
       from chat_messages m join chats c on c.id = m.chat_id where m.id = $1
     on conflict (message_id) do update set words = excluded.words`,
    [messageId, words],
  );
}

/** `title`: folded; `words`: a `tsquery`; null: the text has no word. */
export type ChatSearch = Omit<ChatFilter, 'q'> & { title: string; words: string | null };

export type FoundChat = Listed<ChatRow> & { matchId: string | null; matchText: string | null };

const matches = `project_id = $1 and (archived_at is not null) = $2
  and (strpos(search_text, $3) > 0 or id in (select chat_id from chat_words where words @@ $4::tsquery))`;

/** Chats whose title or one of whose messages matches, with the latest such message. */
export function searchChatRows(
  sql: Sql,
  { projectId, archived, title, words }: ChatSearch,
  { after, limit }: { after: ListPosition; limit: number },
): Promise<FoundChat[]> {
  return queryChats<FoundChat>(
    sql,
    `select found.*, match.id as "matchId", match.content as "matchText"
       from (
         select ${chatColumns}, ${timeText('created_at')} as position
           from chats where ${matches} and (created_at, id) < ($5::timestamptz, $6)
          order by created_at desc, id desc limit $7
       ) found
       left join lateral (
         select m.id, m.content from chat_words w join chat_messages m on m.id = w.message_id
          where w.chat_id = found.id and w.words @@ $4::tsquery order by w.seq desc limit 1
       ) match on true
      order by found."createdAt" desc, found.id desc`,
    [projectId, archived, title, words, after.createdAt, after.id, limit],
  );
}

export async function countFoundChats(sql: Sql, { projectId, archived, title, words }: ChatSearch): Promise<number> {
  const [row] = await sql.query<{ total: number }>(`select count(*)::integer as total from chats where ${matches}`, [
    projectId,
    archived,
    title,
    words,
  ]);
  return row?.total ?? 0;
}
