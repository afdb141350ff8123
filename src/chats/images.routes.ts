import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import type { Database } from '#db';
import type { Contract } from '#http';
import { fault, isId } from '#kernel';
import { projectPathOf, readOwnProject } from '#projects';
import { addressOf, chatPath } from './chats.routes.ts';
import { readChat } from './chats.ts';
import { findImage } from './images.store.ts';

const bytes = Type.String({ description: 'Bytes.' });
const headers = { 'content-security-policy': 'Nothing in it is run.' };

const contract: Contract = {
  tag: 'chats',
  summary: 'Read an image of a chat',
  description: 'An image that was sent with a message, as it was sent, for the owner of the project only.',
  answers: {
    200: {
      description: 'The image.',
      type: 'image/png',
      schema: bytes,
      headers,
      example: '\u{89}PNG...',
      also: ['jpeg', 'gif', 'webp'].map((kind) => ({ type: `image/${kind}`, event: bytes, example: '...' })),
    },
  },
  faults: ['not_found'],
};

export function imagesRoutes({ database }: { database: Database }) {
  return async (app: FastifyInstance): Promise<void> => {
    app.get<{ Params: { imageId: string } }>(
      `${chatPath}/images/:imageId`,
      { config: { operation: 'chat_images.read', contract } },
      async (request, reply) => {
        const project = await readOwnProject(database, request.principal, projectPathOf(request));
        const chat = await readChat(database, addressOf(project.id, request));
        const { imageId: id } = request.params;
        const image = isId('img', id) ? await findImage(database, { chatId: chat.id, id }) : null;
        if (!image) throw fault('not_found', { message: 'There is no such image in this chat.' });
        return (
          reply
            .type(image.mediaType)
            // Its bytes never change, and only its reader may keep them.
            .header('cache-control', 'private, max-age=31536000, immutable')
            .header('content-security-policy', "default-src 'none'; sandbox")
            .header('content-disposition', 'inline')
            .send(image.data)
        );
      },
    );
  };
}
