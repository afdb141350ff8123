import type { FastifyInstance, FastifyRequest } from 'fastify';
import { once } from '#calls';
import type { Database } from '#db';
import { pageOf, readPage, type TypeBoxProvider } from '#http';
import type { CursorCodec } from '#kernel';
import { changeOwnProject, projectPathOf, projectPrefix, readOwnProject } from '#projects';
import { createContract, deleteContract, listContract, readContract, updateContract } from './chats.contract.ts';
import { chatsQuery, chatToWire, createChatBody, listedChatToWire, updateChatBody } from './chats.schema.ts';
import type { ChatAddress } from './chats.store.ts';
import { changeChat, createChat, deleteChat, listChats, readChat } from './chats.ts';

const chatsPath = `${projectPrefix}/chats`;
export const chatPath = `${chatsPath}/:chatId`;
/** Schemas of tools and answers are kept as they were sent. */
export const exactTools = { exact: ['params.tools', 'params.response_format'] };

export function chatsRoutes({ database, cursors }: { database: Database; cursors: CursorCodec }) {
  return async (app: FastifyInstance): Promise<void> => {
    const typed = app.withTypeProvider<TypeBoxProvider>();

    typed.get(
      chatsPath,
      { config: { operation: 'chats.list', contract: listContract }, schema: { querystring: chatsQuery } },
      async (request) => {
        const { id: projectId } = await readOwnProject(database, request.principal, projectPathOf(request));
        const { q, archived = false } = request.query;
        const filter = { projectId, archived, q: q ? q.toWellFormed() : null };
        const page = await listChats({ sql: database, cursors }, filter, readPage(request.query));
        return pageOf({ ...page, toWire: listedChatToWire });
      },
    );

    typed.post(
      chatsPath,
      {
        config: { operation: 'chats.create', contract: createContract, json: exactTools },
        schema: { body: createChatBody },
      },
      async (request, reply) => {
        const chat = await once(request, database).transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, projectPathOf(request));
          return createChat(tx, project, request.body);
        });
        reply.code(201);
        return chatToWire(chat);
      },
    );

    app.get(chatPath, { config: { operation: 'chats.read', contract: readContract } }, async (request) => {
      const project = await readOwnProject(database, request.principal, projectPathOf(request));
      return chatToWire(await readChat(database, addressOf(project.id, request)));
    });

    typed.patch(
      chatPath,
      {
        config: { operation: 'chats.update', contract: updateContract, json: exactTools },
        schema: { body: updateChatBody },
      },
      async (request) => {
        const chat = await database.transaction(async (tx) => {
          const project = await changeOwnProject(tx, request.principal, projectPathOf(request));
          return changeChat(tx, addressOf(project.id, request), request.body);
        });
        return chatToWire(chat);
      },
    );

    app.delete(
      chatPath,
      { config: { operation: 'chats.delete', contract: deleteContract } },
      async (request, reply) => {
        const project = await changeOwnProject(database, request.principal, projectPathOf(request));
        await deleteChat(database, addressOf(project.id, request));
        return reply.code(204).send();
      },
    );
  };
}

export function addressOf(projectId: string, { params }: FastifyRequest): ChatAddress {
  // as: the paths of one chat declare it.
  return { projectId, id: (params as { chatId: string }).chatId };
}
