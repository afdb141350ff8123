import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Database } from '#db';
import { type Caller, pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import { type AttendedCall, type PrincipalCalls, repeatChatStream } from '#inference';
import type { CursorCodec } from '#kernel';
import { changeOwnProject, readOwnProject } from '#projects';
import { addressOf, chatPath, pathOf } from './chats.routes.ts';
import type { ChatAddress } from './chats.store.ts';
import { readChat } from './chats.ts';
import {
  createMessageContract,
  listMessagesContract,
  readMessageContract,
  retryContract,
  stopContract,
} from './messages.contract.ts';
import { createMessageBody, messageToWire, retryBody } from './messages.schema.ts';
import { countMessages, listMessageRows } from './messages.store.ts';
import { readParams } from './params.ts';
import { answerToWire, type KeptTurn, type RunDeps, runTurn, turnHeaders } from './run-turn.ts';
import { stopAnswer } from './stop-answer.ts';
import { checkStorable } from './storable.ts';
import { beginRetry, beginTurn, messageIn, type Turn } from './turns.ts';

export type MessagesDeps = RunDeps & { database: Database; cursors: CursorCodec; calls: PrincipalCalls };

const messagesPath = `${chatPath}/messages`;
export const messagePath = `${messagesPath}/:messageId`;

type Sent = { params?: Static<typeof retryBody>['params']; stream?: boolean };

export function messagesRoutes(deps: MessagesDeps) {
  const { database, cursors, calls } = deps;

  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      messagesPath,
      {
        config: { operation: 'chat_messages.list', contract: listMessagesContract },
        schema: { querystring: plainPageQuery },
      },
      async (request) => {
        const chat = await chatToRead(database, request);
        const { limit, cursor } = readPage(request.query);
        const scope = ['chat_messages', chat.id];
        const [after = '0'] = cursor === null ? [] : cursors.decode(scope, cursor);
        const [rows, totalCount] = await Promise.all([
          listMessageRows(database, chat.id, { afterSeq: Number(after), limit: limit + 1 }),
          countMessages(database, chat.id),
        ]);
        const cursorOf = ({ seq }: { seq: number }) => cursors.encode(scope, [String(seq)]);
        return pageOf({ rows, limit, totalCount, cursorOf, toWire: messageToWire });
      },
    );

    app.get(
      messagePath,
      { config: { operation: 'chat_messages.read', contract: readMessageContract } },
      async (request) => {
        const chat = await chatToRead(database, request);
        return messageToWire(await messageIn(database, chat.id, messageIdOf(request)));
      },
    );

    typed.post(
      messagesPath,
      {
        config: { operation: 'chat_messages.create', contract: createMessageContract, keepsAnswers: true },
        schema: { body: createMessageBody },
      },
      async (request, reply) => {
        const { content, replace_message_id: replaceId = null } = request.body;
        checkStorable(content, 'content');
        return answer(request, { reply, sent: request.body }, (asking) =>
          beginTurn(database, { ...asking, content, replaceId }),
        );
      },
    );

    typed.post(
      `${messagePath}/retry`,
      {
        config: { operation: 'chat_messages.retry', contract: retryContract, keepsAnswers: true },
        schema: { body: retryBody },
      },
      async (request, reply) =>
        answer(request, { reply, sent: request.body }, (asking) =>
          beginRetry(database, { ...asking, messageId: messageIdOf(request) }),
        ),
    );

    app.post(
      `${messagePath}/stop`,
      { config: { operation: 'chat_messages.stop', contract: stopContract } },
      async (request) => {
        const project = await changeOwnProject(database, request.principal, pathOf(request));
        const chat = await readChat(database, addressOf(project.id, request));
        return messageToWire(await stopAnswer({ sql: database, ...deps }, chat.id, messageIdOf(request)));
      },
    );
  };

  type Begin = (
    asking: Parameters<typeof beginRetry>[1] extends infer A ? Omit<A, 'messageId'> : never,
  ) => Promise<Turn>;

  async function answer(
    request: FastifyRequest,
    { reply, sent }: { reply: FastifyReply; sent: Sent },
    begin: Begin,
  ): Promise<unknown> {
    const project = await changeOwnProject(database, request.principal, pathOf(request));
    const address: ChatAddress = addressOf(project.id, request);
    const { model } = await readChat(database, address);
    const params = readParams(sent.params);
    const { stream = true } = sent;
    const route = {
      operation: `chat_messages.${request.routeOptions.url?.endsWith('/retry') ? 'retry' : 'create'}`,
      read: () => stream,
      answer: async (call: AttendedCall) => {
        const turn = await begin({ address, requestId: request.id, params, stream });
        const message = await runTurn(deps, call, turn);
        return stream ? reply : reply.code(201).send(answerToWire(turn.userMessage, message));
      },
      repeat: repeatTurn,
    };
    return calls.attend({ request, reply }, route, { model });
  }
}

function repeatTurn(
  kept: string,
  { wanted: stream, reply, caller }: { wanted: boolean; reply: FastifyReply; caller: Caller },
): FastifyReply {
  // as: only this room keeps answers of these routes.
  const turn = JSON.parse(kept) as KeptTurn;
  reply.headers(turnHeaders(turn, String(reply.getHeader('x-fnf-request-id') ?? '')));
  if (!stream) return reply.code(201).send(turn.answer);
  return repeatChatStream(JSON.stringify(turn.completion), { wanted: { includeUsage: true }, reply, caller });
}

async function chatToRead(database: Database, request: FastifyRequest) {
  const project = await readOwnProject(database, request.principal, pathOf(request));
  return readChat(database, addressOf(project.id, request));
}

export function messageIdOf({ params }: FastifyRequest): string {
  // as: the paths of one message declare it.
  return (params as { messageId: string }).messageId;
}
