import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { requireIdempotencyKey } from '#calls';
import type { Database } from '#db';
import type { Caller } from '#http';
import { type ModelCall, type PrincipalCalls, readChatRequest, repeatChatStream } from '#inference';
import { type Log, parseExactJson } from '#kernel';
import { changeOwnProject, projectPathOf } from '#projects';
import { addressOf } from './chats.routes.ts';
import { readChat } from './chats.ts';
import { LiveAnswer } from './live-answer.ts';
import { messageToWire, type retryBody } from './messages.schema.ts';
import type { MessageRow } from './messages.store.ts';
import { readParams } from './params.ts';
import type { ChatTurn, TurnRequest } from './turns.ts';

export type AnswerDeps = RunDeps & {
  database: Database;
  calls: PrincipalCalls;
  /** What the images of one account may take. */
  imageBytes: number;
};

type AnswerExchange = { request: FastifyRequest; reply: FastifyReply; sent: Static<typeof retryBody> };

/** Makes an answer in a chat of the caller: the call of a model, on a turn that `begin` prepares. */
export async function answerMessage(
  deps: AnswerDeps,
  { request, reply, sent }: AnswerExchange,
  begin: (asking: TurnRequest) => Promise<ChatTurn>,
): Promise<unknown> {
  const { database, calls } = deps;
  const project = await changeOwnProject(database, request.principal, projectPathOf(request));
  const address = addressOf(project.id, request);
  const { model } = await readChat(database, address);
  const params = readParams(sent.params);
  const { stream = true } = sent;
  const route = {
    operation: `chat_messages.${request.routeOptions.url?.endsWith('/retry') ? 'retry' : 'create'}`,
    read: () => stream,
    answer: async (call: ModelCall) => {
      const key = call.hasKey ? requireIdempotencyKey(request.headers) : null;
      const storage = { accountId: project.accountId, mostBytes: deps.imageBytes };
      const turn = await begin({ address, requestId: request.id, key, params, stream, storage });
      const message = await runTurn(deps, call, turn);
      return stream ? reply : reply.code(201).send(answerToWire(turn.userMessage, message));
    },
    repeat: repeatTurn,
  };
  return calls.handle({ request, reply }, route, { model });
}

function repeatTurn(
  stored: string,
  { input: stream, reply, caller }: { input: boolean; reply: FastifyReply; caller: Caller },
): FastifyReply {
  // as: only this room stores answers of these routes.
  const turn = parseExactJson(stored) as StoredTurn;
  reply.headers(turnHeaders(turn, String(reply.getHeader('x-fnf-request-id') ?? '')));
  if (!stream) return reply.code(201).send(turn.answer);
  return repeatChatStream(turn.completion, { reply, caller });
}

export type RunDeps = {
  database: Database;
  calls: PrincipalCalls;
  running: Map<string, LiveAnswer>;
  log: Pick<Log, 'warn'>;
};

/** What a request is answered with when it is sent again under its `Idempotency-Key`. */
type StoredTurn = { userMessageId: string | null; messageId: string; answer: object; completion: object };

/** Makes the answer of a turn and gives it as it is in the end; a stream has taken the reply over by then. */
async function runTurn(
  { database, calls, running, log }: RunDeps,
  call: ModelCall,
  { userMessage, message, request, call: sent }: ChatTurn,
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
    // A model of another project has its address in the chat, and its name in the call.
    const input = { ...readChatRequest(sent), model: call.admitted.target.model ?? request.model };
    await calls.answerChat(call, { input, follower: live });
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

function turnHeaders(
  { userMessageId, messageId }: Pick<StoredTurn, 'userMessageId' | 'messageId'>,
  requestId: string,
): Record<string, string> {
  return {
    ...(userMessageId === null ? {} : { 'x-fnf-user-message-id': userMessageId }),
    'x-fnf-message-id': messageId,
    'x-fnf-request-id': requestId,
  };
}

function answerToWire(userMessage: MessageRow | null, message: MessageRow) {
  return { user_message: userMessage && messageToWire(userMessage), message: messageToWire(message) };
}
