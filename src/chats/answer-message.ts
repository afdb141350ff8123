import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { requireIdempotencyKey } from '#calls';
import type { Database } from '#db';
import type { Caller } from '#http';
import { type ModelCall, type PrincipalCalls, repeatChatStream } from '#inference';
import { parseExactJson } from '#kernel';
import { changeOwnProject, projectPathOf } from '#projects';
import { addressOf } from './chats.routes.ts';
import { readChat } from './chats.ts';
import type { retryBody } from './messages.schema.ts';
import { readParams } from './params.ts';
import { answerToWire, type RunDeps, runTurn, type StoredTurn, turnHeaders } from './run-turn.ts';
import type { ChatTurn, TurnRequest } from './turns.ts';

export type AnswerDeps = RunDeps & { database: Database; calls: PrincipalCalls };

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
      const turn = await begin({ address, requestId: request.id, key, params, stream });
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
