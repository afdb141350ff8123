import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Database, Sql } from '#db';
import { pageOf, plainPageQuery, readPage, type TypeBoxProvider } from '#http';
import type { CursorCodec, PageRequest } from '#kernel';
import { changeOwnProject, projectPathOf, readOwnProject } from '#projects';
import { type AnswerDeps, answerMessage } from './answer-message.ts';
import { addressOf, chatPath, exactTools } from './chats.routes.ts';
import { readChat } from './chats.ts';
import {
  createMessageContract,
  listMessagesContract,
  rateContract,
  readMessageContract,
  retryContract,
  stopContract,
} from './messages.contract.ts';
import { createMessageBody, messageToWire, rateBody, retryBody } from './messages.schema.ts';
import { countMessages, listMessageRows } from './messages.store.ts';
import { readNewMessage } from './sent-messages.ts';
import { beginRetry, beginTurn, messageIn, rateAnswer, stopAnswer } from './turns.ts';

type MessagesDeps = AnswerDeps & { cursors: CursorCodec };

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
        const added = readNewMessage(request.body);
        return answerMessage(deps, { request, reply, sent: request.body }, (asking) =>
          beginTurn(database, { ...asking, added }),
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

    typed.patch(
      messagePath,
      { config: { operation: 'chat_messages.rate', contract: rateContract }, schema: { body: rateBody } },
      async (request) => {
        const project = await changeOwnProject(database, request.principal, projectPathOf(request));
        const chat = await readChat(database, addressOf(project.id, request));
        return messageToWire(await rateAnswer(database, chat.id, messageIdOf(request), request.body.rating));
      },
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

async function pageOfMessages(
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
