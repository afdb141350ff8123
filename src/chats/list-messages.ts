import type { Sql } from '#db';
import type { CursorCodec, PageRequest } from '#kernel';
import { countMessages, listMessageRows } from './messages.store.ts';

export async function pageOfMessages(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  chatId: string,
  { limit, cursor }: PageRequest,
) {
  const scope = ['chat_messages', chatId];
  const [after = '0'] = cursor === null ? [] : cursors.decode(scope, cursor);
  const [rows, totalCount] = await Promise.all([
    listMessageRows(sql, chatId, { afterSeq: Number(after), limit: limit + 1 }),
    countMessages(sql, chatId),
  ]);
  const cursorOf = ({ seq }: (typeof rows)[number]) => cursors.encode(scope, [String(seq)]);
  return { rows, totalCount, limit, cursorOf };
}
