import type { Database } from '#db';
import { type ModelCall, type PrincipalCalls, readChatRequest } from '#inference';
import type { Log } from '#kernel';
import { LiveAnswer } from './live-answer.ts';
import { messageToWire } from './messages.schema.ts';
import type { MessageRow } from './messages.store.ts';
import type { ChatTurn } from './turns.ts';

export type RunDeps = {
  database: Database;
  calls: PrincipalCalls;
  running: Map<string, LiveAnswer>;
  log: Pick<Log, 'warn'>;
};

/** What a request is answered with when it is sent again under its `Idempotency-Key`. */
export type StoredTurn = { userMessageId: string | null; messageId: string; answer: object; completion: object };

/** Makes the answer of a turn and gives it as it is in the end; a stream has taken the reply over by then. */
export async function runTurn(
  { database, calls, running, log }: RunDeps,
  call: ModelCall,
  { userMessage, message, request }: ChatTurn,
): Promise<MessageRow> {
  const live = new LiveAnswer({
    database,
    log,
    message,
    request,
    requestId: call.request.id,
    render: (stored, { body }): StoredTurn => ({
      userMessageId: userMessage?.id ?? null,
      messageId: message.id,
      answer: answerToWire(userMessage, stored),
      completion: body,
    }),
  });
  running.set(message.id, live);
  call.reply.headers(turnHeaders({ userMessageId: userMessage?.id ?? null, messageId: message.id }, call.request.id));
  try {
    await calls.answerChat(call, { input: readChatRequest(request), follower: live });
    await live.end(null, call.caller.signal.aborted);
    return live.message;
  } catch (error) {
    await live.end(error, call.caller.signal.aborted);
    throw error;
  } finally {
    // Another try may have begun, when this one was taken for dead.
    if (running.get(message.id) === live) running.delete(message.id);
  }
}

export function turnHeaders(
  { userMessageId, messageId }: Pick<StoredTurn, 'userMessageId' | 'messageId'>,
  requestId: string,
): Record<string, string> {
  return {
    ...(userMessageId === null ? {} : { 'x-fnf-user-message-id': userMessageId }),
    'x-fnf-message-id': messageId,
    'x-fnf-request-id': requestId,
  };
}

export function answerToWire(userMessage: MessageRow | null, message: MessageRow) {
  return { user_message: userMessage && messageToWire(userMessage), message: messageToWire(message) };
}
