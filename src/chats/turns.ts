import { setTimeout as sleep } from 'node:timers/promises';
import { constraintOf, type Database, type Sql, sqlState } from '#db';
import { fault, foldText, isId, newId } from '#kernel';
import { type ChatAddress, type ChatRow, updateChatHead } from './chats.store.ts';
import { lockOwnChat } from './chats.ts';
import { bodyOf, type ChatRequestBody, titleOf } from './conversation.ts';
import type { ImageData } from './images.store.ts';
import { addImages, imagesOfMessage, withImageData } from './images.ts';
import { type LiveAnswer, lost } from './live-answer.ts';
import { findMessage, listHistory, type MessageRating, type MessageRow, rateMessage } from './messages.store.ts';
import type { ChatParams } from './params.ts';
import { indexMessage } from './search.ts';
import { checkResults, messagesOf, type NewMessage } from './sent-messages.ts';
import {
  beginAgain,
  deleteMessagesFrom,
  endLostAnswers,
  endWaitingAnswers,
  findAnswerUnder,
  hasRunning,
  insertAnswer,
  insertSentMessage,
  requestStop,
  stopWaiting,
} from './turns.store.ts';

/** An answer that is about to be made. */
export type ChatTurn = {
  /** What is answered; null: nothing that is still there. */
  userMessage: MessageRow | null;
  message: MessageRow;
  request: ChatRequestBody;
  /** The same with the images themselves. */
  call: ChatRequestBody;
};

/** Who asks for it, and how. */
export type TurnRequest = {
  address: ChatAddress;
  requestId: string;
  /** The `Idempotency-Key`, which has no kept answer. */
  key: string | null;
  params: ChatParams;
  stream: boolean;
  /** Whose storage images take, and how much of it there is. */
  storage: { accountId: string; mostBytes: number };
};

/**
 * Adds a message of the user, or results of tools, and the row of the answer. What a request with the same key has added before it failed, or its
 * server died, is not added twice: it is answered once more. Throws `not_found`, `state_conflict`, `invalid_request`.
 */
export function beginTurn(
  database: Database,
  { added, ...asking }: TurnRequest & { added: NewMessage },
): Promise<ChatTurn> {
  const { key } = asking;
  return inTurn(database, asking, async (tx, chat) => {
    const messages = messagesOf(added);
    const { content = '' } = messages.at(-1) ?? {};
    const earlier = key === null ? null : await findAnswerUnder(tx, { chatId: chat.id, key, content });
    if (earlier) return tryAgain(tx, chat, earlier, asking);
    await endWaitingAnswers(tx, { chatId: chat.id });
    const images = await imagesToAdd(tx, chat, added);
    const first = await firstSeq(tx, chat, added);
    let userMessage: MessageRow | null = null;
    for (const [at, message] of messages.entries()) {
      const isLast = at === messages.length - 1;
      const row = { id: newId('msg'), chatId: chat.id, seq: first + at, key: isLast ? key : null };
      userMessage = await insertSentMessage(tx, { ...row, ...message });
      await indexMessage(tx, userMessage);
      userMessage = await addImages(tx, userMessage, { images, ...asking.storage });
    }
    const seq = first + messages.length;
    const title = chat.title === '' ? titleOf(content) : chat.title;
    const history = await listHistory(tx, chat.id, seq);
    const request = bodyOf(chat, history, { own: asking.params, stream: asking.stream });
    const message = await insertAnswer(tx, {
      id: newId('msg'),
      chatId: chat.id,
      seq,
      request: JSON.stringify(request),
      requestId: asking.requestId,
    });
    await updateChatHead(tx, chat.id, { title, searchText: foldText(title), lastSeq: seq });
    return { userMessage, message, request, call: await withImageData(tx, chat.id, request) };
  });
}

/** Tries an answer again: one that failed or was stopped, or the last one of the chat. */
export function beginRetry(
  database: Database,
  { messageId, ...asking }: TurnRequest & { messageId: string },
): Promise<ChatTurn> {
  return inTurn(database, asking, async (tx, chat) =>
    tryAgain(tx, chat, await messageIn(tx, chat.id, messageId), asking),
  );
}

async function tryAgain(
  tx: Sql,
  chat: OpenChat,
  before: MessageRow,
  { params, stream, requestId }: TurnRequest,
): Promise<ChatTurn> {
  if (before.role !== 'assistant' || (before.state === 'complete' && before.seq !== chat.lastSeq))
    throw fault('state_conflict', {
      message: 'Only an answer that failed or was stopped can be tried again, or the last one of the chat.',
      details: { state: before.state, allowed_from: ['failed', 'stopped'] },
    });
  const history = await listHistory(tx, chat.id, before.seq);
  const request = bodyOf(chat, history, { own: params, stream });
  const answerRequest = { request: JSON.stringify(request), requestId };
  const lastMessage = history.at(-1) ?? null;
  const userMessage = lastMessage?.role === 'user' ? lastMessage : null;
  const message = await beginAgain(tx, before.id, answerRequest);
  return { userMessage, message, request, call: await withImageData(tx, chat.id, request) };
}

export async function messageIn(sql: Sql, chatId: string, id: string): Promise<MessageRow> {
  const message = isId('msg', id) ? await findMessage(sql, { chatId, id }) : null;
  if (!message) throw fault('not_found', { message: 'There is no such message in this chat.' });
  return message;
}

type OpenChat = ChatRow & { lastSeq: number; model: string };

/** Does the work with the chat locked and no other answer in flight. */
function inTurn(
  database: Database,
  { address }: TurnRequest,
  work: (tx: Sql, chat: OpenChat) => Promise<ChatTurn>,
): Promise<ChatTurn> {
  return database.transaction(async (tx) => {
    const { model, ...chat } = await lockOwnChat(tx, address);
    if (chat.archivedAt !== null)
      throw fault('state_conflict', {
        message: 'This chat is archived.',
        details: { state: 'archived', allowed_from: ['active'] },
      });
    if (model === null)
      throw fault('invalid_request', { message: 'model: choose a model for this chat first.', param: 'model' });
    await endLostAnswers(tx, lost, chat.id);
    if (await hasRunning(tx, chat.id)) throw isAnswering();
    try {
      return await work(tx, { ...chat, model });
    } catch (error) {
      if (sqlState(error) === '23505' && constraintOf(error) === 'chat_messages_running') throw isAnswering(error);
      throw error;
    }
  });
}

/** A message in place of another keeps its images, unless it has its own. */
async function imagesToAdd(tx: Sql, chat: OpenChat, added: NewMessage): Promise<ImageData[]> {
  if ('results' in added) return [];
  if (added.images !== null || added.replaceId === null) return added.images ?? [];
  return imagesOfMessage(tx, (await messageIn(tx, chat.id, added.replaceId)).id);
}

/** The place of the first message that is added. */
async function firstSeq(tx: Sql, chat: OpenChat, added: NewMessage): Promise<number> {
  if ('results' in added) await checkResults(tx, chat, added.results);
  else if (added.replaceId !== null) return replace(tx, chat, added.replaceId);
  return chat.lastSeq + 1;
}

/** Drops a message of the person and all after it; gives its place. */
async function replace(tx: Sql, chat: OpenChat, id: string): Promise<number> {
  const message = await messageIn(tx, chat.id, id);
  if (message.role !== 'user')
    throw fault('invalid_request', {
      message: 'replace_message_id: expected a message of the user.',
      param: 'replace_message_id',
    });
  await deleteMessagesFrom(tx, chat.id, message.seq);
  return message.seq;
}

function isAnswering(cause?: unknown) {
  return fault('state_conflict', {
    message: 'This chat is being answered. Wait for the answer, or stop it.',
    details: { state: 'streaming', allowed_from: ['complete', 'failed', 'stopped'] },
    cause,
  });
}

/** Another process learns of it when it next writes, which is soon. */
const timeoutMs = 5_000;
const pauseMs = 50;

/**
 * Ends an answer that is being made, here or by another process, and gives it as it is then. What is over already stays
 * as it is. Throws `not_found`.
 */
export async function stopAnswer(
  { sql, running }: { sql: Sql; running: ReadonlyMap<string, LiveAnswer> },
  chatId: string,
  id: string,
): Promise<MessageRow> {
  const message = await messageIn(sql, chatId, id);
  if (message.state !== 'queued' && message.state !== 'streaming') return message;
  if (await requestStop(sql, id)) running.get(id)?.askToStop();
  else await stopWaiting(sql, id);
  return untilOver(sql, chatId, id);
}

/** Throws `not_found`, `state_conflict`. */
export async function rateAnswer(
  sql: Sql,
  chatId: string,
  id: string,
  rating: MessageRating | null,
): Promise<MessageRow> {
  const { role, state } = await messageIn(sql, chatId, id);
  const rated = await rateMessage(sql, { chatId, id }, rating);
  if (rated) return rated;
  throw fault('state_conflict', {
    message: 'Only an answer that has ended can be rated.',
    details:
      role === 'assistant' ? { state, allowed_from: ['complete', 'failed', 'stopped'] } : { reason: 'not_an_answer' },
  });
}

async function untilOver(sql: Sql, chatId: string, id: string): Promise<MessageRow> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const message = await messageIn(sql, chatId, id);
    if (!message.isRunning || performance.now() > until) return message;
    await sleep(pauseMs);
  }
}
