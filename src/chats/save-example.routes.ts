import type { FastifyInstance } from 'fastify';
import Type from 'typebox';
import { once } from '#calls';
import { type Datasets, exampleSchema, exampleToWire } from '#datasets';
import type { Database } from '#db';
import type { Contract, TypeBoxProvider } from '#http';
import { changeOwnProject, projectPathOf } from '#projects';
import { addressOf } from './chats.routes.ts';
import { checkStorable, readChat } from './chats.ts';
import { messageIdOf, messagePath } from './messages.routes.ts';
import { saveExample } from './save-example.ts';
import { messageIn } from './turns.ts';

const body = Type.Object({
  dataset_id: Type.String({ description: 'A dataset of the project.', maxLength: 64 }),
  split: Type.Optional(
    Type.Enum(['train', 'test'], {
      description: '`train`: to learn from; `test`: to measure with.',
      default: 'train',
    }),
  ),
  content: Type.Optional(
    Type.String({ description: 'What the answer should have been; left out: what it was.', minLength: 1 }),
  ),
});

const example = {
  id: 'ex_01KAXR8G9J1M3P5R7T9W1Y3A5C',
  dataset_id: 'ds_01KAXR6D4F6H8K0M2P4R6T8V0X',
  kind: 'text',
  text: {
    messages: [
      { role: 'user', content: 'What is 2 + 3?' },
      { role: 'assistant', content: '5' },
    ],
    tools: null,
  },
  embedding: null,
  split: 'train',
  origin: 'chat',
  origin_id: 'msg_01KAXR5B3D5F7H9K1N3Q5S7U9W',
  tokens: 27,
  valid: true,
  issues: [],
  content_hash: '4b825dc642cb6eb9a060e54bf8d69288fbee49041f1c6a0d2b7e4c83a5f0e1d2',
  created_at: '2026-01-05T08:15:00.123Z',
  updated_at: '2026-01-05T08:15:00.123Z',
};

const contract: Contract = {
  tag: 'chats',
  summary: 'Save an answer as an example',
  description:
    'The conversation up to a complete answer becomes an example of a dataset. Saving the same answer again gives the same example; with `content`, an example with that text is added instead. An equal example from elsewhere is a 409 with `details.reason` `duplicate`.',
  bodyExample: { dataset_id: example.dataset_id, split: 'train' },
  answers: {
    201: { description: 'The new example.', schema: exampleSchema, example },
    200: { description: 'It was saved before.', schema: exampleSchema, example },
  },
  faults: ['not_found', 'owner_required', 'kind_mismatch', 'state_conflict', 'in_use', 'capacity_unavailable'],
  idempotent: true,
};

export function saveExampleRoutes({ database, datasets }: { database: Database; datasets: Datasets }) {
  return async (app: FastifyInstance): Promise<void> => {
    app
      .withTypeProvider<TypeBoxProvider>()
      .post(
        `${messagePath}/save-example`,
        { config: { operation: 'chat_messages.save_example', contract }, schema: { body } },
        async (request, reply) => {
          const { dataset_id: datasetId, split = 'train', content = null } = request.body;
          if (content !== null) checkStorable(content, 'content');
          const { principal } = request;
          const path = projectPathOf(request);
          const project = await changeOwnProject(database, principal, path);
          const chat = await readChat(database, addressOf(project.id, request));
          const message = await messageIn(database, chat.id, messageIdOf(request));
          const saved = await saveExample(
            { database: once(request, database), datasets },
            { principal, path: { ...path, datasetId }, message, split, content },
          );
          reply.code(saved.isNew ? 201 : 200);
          return exampleToWire(saved.example, 'text');
        },
      );
  };
}
