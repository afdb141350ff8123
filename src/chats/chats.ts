import type { Sql } from '#db';
import {
  type CursorCodec,
  checkDisplayName,
  createListCursor,
  fault,
  foldText,
  isId,
  isStorable,
  newId,
  type PageRequest,
} from '#kernel';
import type { ProjectSeen } from '#projects';
import {
  type ChatAddress,
  type ChatFilter,
  type ChatRow,
  countChats,
  deleteChat as deleteRow,
  findChat,
  insertChat,
  listChatRows,
  lockChat,
  updateChat,
} from './chats.store.ts';
import { type ChatParams, readParams } from './params.ts';
import { countFoundChats, searchChatRows } from './search.store.ts';
import { excerptOf, searchOf } from './search.ts';

type ChatInput = {
  title?: string;
  model?: string | null;
  system_prompt?: string | null;
  params?: ChatParams;
};

/** Throws `kind_mismatch` for a project that embeds, `invalid_request`. */
export async function createChat(sql: Sql, project: ProjectSeen, input: ChatInput): Promise<ChatRow> {
  if (project.kind !== 'text')
    throw fault('kind_mismatch', { message: 'Chats belong to text projects; this one embeds.' });
  const fields = readFields(input);
  const { title = '', model = null, systemPrompt = null, params = {} } = fields;
  const chat = { id: newId('cht'), projectId: project.id, title, model, systemPrompt, params };
  return insertChat(sql, { ...chat, searchText: foldText(title) });
}

export async function readChat(sql: Sql, address: ChatAddress): Promise<ChatRow> {
  const chat = isId('cht', address.id) ? await findChat(sql, address) : null;
  if (!chat) throw noSuchChat();
  return chat;
}

/** The chat, locked for what follows in the transaction. Throws `not_found`. */
export async function lockOwnChat(tx: Sql, address: ChatAddress): Promise<ChatRow & { lastSeq: number }> {
  const chat = isId('cht', address.id) ? await lockChat(tx, address) : null;
  if (!chat) throw noSuchChat();
  return chat;
}

/** Changes what is given. In a transaction. */
export async function changeChat(
  tx: Sql,
  address: ChatAddress,
  { archived, ...input }: ChatInput & { archived?: boolean },
): Promise<ChatRow> {
  const before = await lockOwnChat(tx, address);
  const { params, ...fields } = readFields(input);
  const after = { ...before, ...fields, params: { ...before.params, ...params } };
  const wasArchived = before.archivedAt !== null;
  const isArchived = archived ?? wasArchived;
  // What is so already is no change: the chat keeps the time of its last one. The order of keys is what models see.
  if (isArchived === wasArchived && JSON.stringify(before) === JSON.stringify(after)) return before;
  const changed = await updateChat(tx, before.id, {
    ...after,
    searchText: foldText(after.title),
    archived: isArchived,
  });
  if (!changed) throw noSuchChat();
  return changed;
}

/** Throws `not_found`, the second time as well. */
export async function deleteChat(sql: Sql, address: ChatAddress): Promise<void> {
  const deleted = isId('cht', address.id) && (await deleteRow(sql, address));
  if (!deleted) throw noSuchChat();
}

export async function listChats(
  { sql, cursors }: { sql: Sql; cursors: CursorCodec },
  { q, ...filter }: ChatFilter & { q: string | null },
  { limit, cursor }: PageRequest,
) {
  const scope = ['chats', filter.projectId, String(filter.archived), q ?? ''];
  const { after, cursorOf } = createListCursor(cursors, scope);
  const page = { after: after(cursor), limit: limit + 1 };
  if (q === null) {
    const [rows, totalCount] = await Promise.all([listChatRows(sql, filter, page), countChats(sql, filter)]);
    return { rows: rows.map((row) => ({ ...row, match: null })), limit, totalCount, cursorOf };
  }
  const { terms, ...search } = searchOf(filter.projectId, q);
  const [found, totalCount] = await Promise.all([
    searchChatRows(sql, { ...filter, ...search }, page),
    countFoundChats(sql, { ...filter, ...search }),
  ]);
  const rows = found.map(({ matchId, matchText, ...row }) => ({
    ...row,
    match: matchId === null ? null : { messageId: matchId, excerpt: excerptOf(matchText ?? '', terms) },
  }));
  return { rows, limit, totalCount, cursorOf };
}

function readFields({ title, model, system_prompt: systemPrompt, params }: ChatInput) {
  return {
    ...(title === undefined ? {} : { title: checkDisplayName(title, 'title') }),
    ...(model === undefined ? {} : { model: model && checkStorable(model, 'model') }),
    ...(systemPrompt === undefined
      ? {}
      : { systemPrompt: systemPrompt && checkStorable(systemPrompt, 'system_prompt') }),
    ...(params === undefined ? {} : { params: readParams(params) }),
  };
}

function noSuchChat() {
  return fault('not_found', { message: 'There is no such chat.' });
}

/** Refuses what PostgreSQL cannot store as text: a NUL, half of a surrogate pair. Throws `invalid_request`. */
export function checkStorable(text: string, param: string): string {
  if (isStorable(text)) return text;
  throw fault('invalid_request', {
    message: `${param}: holds a NUL character or half of a surrogate pair.`,
    param,
  });
}
