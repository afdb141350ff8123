import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database } from '#db';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import type { CursorCodec } from '#kernel';
import { changeOwnProject, projectPathOf, readOwnProject } from '#projects';
import { type AnswerDeps, answerMessage } from './answer-message.ts';
import { addressOf, chatPath, exactTools } from './chats.routes.ts';
import { readChat } from './chats.ts';
import { checkStorable } from './check-storable.ts';
import { pageOfMessages } from './list-messages.ts';
import {
  createMessageContract,
  listMessagesContract,
  readMessageContract,
  retryContract,
  stopContract,
} from './messages.contract.ts';
import { createMessageBody, messageToWire, retryBody } from './messages.schema.ts';
import { stopAnswer } from './stop-answer.ts';
import { beginRetry, beginTurn, messageIn } from './turns.ts';

export type MessagesDeps = AnswerDeps & { cursors: CursorCodec };

const messagesPath = `${chatPath}/messages`;
export const messagePath = `${messagesPath}/:messageId`;

export function messagesRoutes(deps: MessagesDeps) {
  const { database, cursors } = deps;

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
        const page = await pageOfMessages({ sql: database, cursors }, chat.id, readPage(request.query));
        return pageOf({ ...page, toWire: messageToWire });
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
        config: {
          operation: 'chat_messages.create',
          contract: createMessageContract,
          keepsAnswers: true,
          json: exactTools,
        },
        schema: { body: createMessageBody },
      },
      async (request, reply) => {
        const { content, replace_message_id: replaceId = null } = request.body;
        checkStorable(content, 'content');
        return answerMessage(deps, { request, reply, sent: request.body }, (asking) =>
          beginTurn(database, { ...asking, content, replaceId }),
        );
      },
    );

    typed.post(
      `${messagePath}/retry`,
      {
        config: { operation: 'chat_messages.retry', contract: retryContract, keepsAnswers: true, json: exactTools },
        schema: { body: retryBody },
      },
      async (request, reply) =>
        answerMessage(deps, { request, reply, sent: request.body }, (asking) =>
          beginRetry(database, { ...asking, messageId: messageIdOf(request) }),
        ),
    );

    app.post(
      `${messagePath}/stop`,
      { config: { operation: 'chat_messages.stop', contract: stopContract } },
      async (request) => {
        const project = await changeOwnProject(database, request.principal, projectPathOf(request));
        const chat = await readChat(database, addressOf(project.id, request));
        return messageToWire(await stopAnswer({ sql: database, ...deps }, chat.id, messageIdOf(request)));
      },
    );
  };
}

async function chatToRead(database: Database, request: FastifyRequest) {
  const project = await readOwnProject(database, request.principal, projectPathOf(request));
  return readChat(database, addressOf(project.id, request));
}

export function messageIdOf({ params }: FastifyRequest): string {
  // as: the paths of one message declare it.
  return (params as { messageId: string }).messageId;
}
